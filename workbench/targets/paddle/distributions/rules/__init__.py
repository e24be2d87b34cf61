"""Rules of probability distributions."""
