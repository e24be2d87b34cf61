"""Helper functions for torch's names: probability distributions."""
