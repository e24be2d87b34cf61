"""Operators for computations: elementwise, reductions, matrix products, Fourier transforms."""
