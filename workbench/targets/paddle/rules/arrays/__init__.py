"""Creating, shaping, joining and indexing tensors."""
