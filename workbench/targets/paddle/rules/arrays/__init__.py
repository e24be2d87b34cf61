"""Tensors made, shaped, joined and indexed."""
