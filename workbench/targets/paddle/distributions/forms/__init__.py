"""Plain forms of torch's names: probability distributions."""
