"""Tensors that change in place or are drawn at random."""
