"""Helper functions for torch's names: layers."""
