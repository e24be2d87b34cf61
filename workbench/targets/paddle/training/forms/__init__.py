"""Plain forms of torch's names: training."""
