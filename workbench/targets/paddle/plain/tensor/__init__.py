"""Plain forms of tensors and of their functions."""
