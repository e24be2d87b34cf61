"""Rules of training."""
