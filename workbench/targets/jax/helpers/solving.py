"""Linear systems as torch reads their right sides."""

import jax.numpy as jnp


def torch_solve(a, b):
    """Right sides are vectors if there is one for each matrix, and else matrices."""
    if b.ndim == 1 or (b.ndim == a.ndim - 1 and b.shape == a.shape[:-1]):
        return jnp.linalg.solve(a, b[..., None])[..., 0]
    return jnp.linalg.solve(a, b)
