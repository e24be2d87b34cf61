"""Helper functions of probability distributions."""
