"""Tensors: creation, indexing, shapes, dtypes, methods, operators."""
