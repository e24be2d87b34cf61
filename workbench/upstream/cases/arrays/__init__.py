"""Cases: creating, indexing, joining and shaping tensors."""
