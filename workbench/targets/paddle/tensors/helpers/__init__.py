"""Helper functions of tensors."""
