"""Helper functions of training."""
