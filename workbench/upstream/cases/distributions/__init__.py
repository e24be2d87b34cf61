"""Cases of probability distributions."""
