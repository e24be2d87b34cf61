"""Plain forms of torch's names: tensors."""
