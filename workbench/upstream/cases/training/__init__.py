"""Cases: gradients, optimizers, data and saved states."""
