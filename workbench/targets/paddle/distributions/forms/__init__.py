"""Plain forms of probability distributions."""
