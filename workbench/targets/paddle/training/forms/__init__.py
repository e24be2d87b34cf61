"""Plain forms of training."""
