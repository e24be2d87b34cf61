"""Cases: the members of tensors, and torch's small objects."""
