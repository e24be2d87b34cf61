"""Helper functions of modules."""
