"""Tensors made, shaped, joined, indexed and changed."""
