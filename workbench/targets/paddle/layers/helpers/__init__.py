"""Helper functions of layers."""
