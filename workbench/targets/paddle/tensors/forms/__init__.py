"""Plain forms of tensors."""
