"""Rules of tensors."""
