"""Gradients, optimizers, data and saving."""
