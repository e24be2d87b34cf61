"""Helper functions for torch's names: modules."""
