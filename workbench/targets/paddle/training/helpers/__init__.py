"""Helper functions for torch's names: training."""
