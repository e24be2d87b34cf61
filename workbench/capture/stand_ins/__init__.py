"""What a model calls, while it is traced, in the place of torch's own."""
