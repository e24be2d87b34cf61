"""Cases of tensors."""
