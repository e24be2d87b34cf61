"""Helper functions for torch's names: losses."""
