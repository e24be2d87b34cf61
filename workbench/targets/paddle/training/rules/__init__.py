"""Rules for torch's names: training."""
