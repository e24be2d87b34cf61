"""Two values held together: tensors, numbers, texts."""
