"""What a model keeps: parameters, buffers, and the optimizers that train them."""
