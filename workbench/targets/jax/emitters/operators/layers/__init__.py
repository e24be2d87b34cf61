"""Operators of layers: convolution, normalization, pooling, activation, attention."""
