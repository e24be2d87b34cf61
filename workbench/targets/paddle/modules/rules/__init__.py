"""Rules for torch's names: modules."""
