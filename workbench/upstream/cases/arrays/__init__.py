"""Cases: making, indexing, joining and shaping tensors."""
