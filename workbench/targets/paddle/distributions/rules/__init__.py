"""Rules for torch's names: probability distributions."""
