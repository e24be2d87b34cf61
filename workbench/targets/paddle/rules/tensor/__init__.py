"""Members of tensors."""
