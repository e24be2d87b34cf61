"""Operators that compute: element by element, reductions, products of matrices, Fourier."""
