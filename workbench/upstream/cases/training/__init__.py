"""Cases of training."""
