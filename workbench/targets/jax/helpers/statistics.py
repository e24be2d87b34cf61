"""Statistics, windows and combinations of values."""

from __future__ import annotations

import itertools
import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax


def torch_histc(x: Any, bins: int = 100, min: Any = 0, max: Any = 0) -> Any:
    """The numbers of values in equal bins; those outside are left out."""
    limits = None if min == max == 0 else (min, max)
    return jnp.histogram(x, bins, range=limits)[0].astype(x.dtype)


def torch_cartesian_prod(*tensors: Any) -> Any:
    """All tuples of one value of each tensor."""
    if len(tensors) == 1:
        return tensors[0]
    return jnp.stack(jnp.meshgrid(*tensors, indexing="ij"), -1).reshape(-1, len(tensors))


def torch_combinations(x: Any, r: int = 2, with_replacement: bool = False) -> Any:
    """All combinations of values, in the order of their places."""
    chosen = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = np.array(list(chosen(range(len(x)), r)), int).reshape(-1, r)
    return x[places]


def torch_window(length: int, periodic: bool = True, terms: Any = (0.5, 0.5)) -> Any:
    """A window for spectra, as a sum of cosines."""
    if length == 1:
        return jnp.ones(1)
    angles = 2 * math.pi * np.arange(length) / (length if periodic else length - 1)
    window = sum(term * (-1) ** k * np.cos(k * angles) for k, term in enumerate(terms))
    return jnp.array(window, jnp.float32)


def torch_unique_consecutive(
    x: Any, return_inverse: bool = False, return_counts: bool = False, dim: Any = None
) -> Any:
    """The values without repetitions of the one before."""
    shape = x.shape if dim is None else x.shape[dim]
    x = x.reshape(-1) if dim is None else jnp.moveaxis(x, dim, 0)
    rows = x.reshape(x.shape[0], -1)
    new = jnp.concatenate([jnp.ones(1, bool), (rows[1:] != rows[:-1]).any(1)])
    places = jnp.nonzero(new)[0]
    found = [x[places] if dim is None else jnp.moveaxis(x[places], 0, dim)]
    if return_inverse:
        found.append((jnp.cumsum(new) - 1).reshape(shape))
    if return_counts:
        found.append(jnp.diff(jnp.append(places, x.shape[0])))
    return found[0] if len(found) == 1 else tuple(found)


def torch_trapezoid(y: Any, x: Any = None, dx: Any = 1.0, dim: int = -1) -> Any:
    """The integral of a curve through points."""
    if y.dtype.itemsize < 2:
        raise TypeError("torch adds small whole numbers in their own dtype; convert them first")
    y = jnp.moveaxis(y * 1.0, dim, -1)
    widths = dx if x is None else jnp.diff(x * 1.0 if x.ndim == 1 else jnp.moveaxis(x, dim, -1))
    return ((y[..., 1:] + y[..., :-1]) * widths).sum(-1) / 2


def torch_pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: Any = 0.0, padding_side: str = "right"
) -> Any:
    """Sequences of different lengths as one array."""
    longest = max(len(one) for one in sequences)
    right = padding_side == "right"
    padded = []
    for one in sequences:
        missing = longest - len(one)
        width = (0, missing) if right else (missing, 0)
        rest = [(0, 0)] * (one.ndim - 1)
        padded.append(jnp.pad(one, [width, *rest], constant_values=padding_value))
    return jnp.stack(padded, 0 if batch_first else 1)


def torch_triangular_solve(
    a: Any, b: Any, upper: bool, left: bool = True, unit: bool = False
) -> Any:
    """The solution of a triangular system."""
    shape = jnp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a = jnp.broadcast_to(a, (*shape, *a.shape[-2:]))
    b = jnp.broadcast_to(b, (*shape, *b.shape[-2:]))
    return lax.linalg.triangular_solve(a, b, left_side=left, lower=not upper, unit_diagonal=unit)


def torch_cholesky_solve(b: Any, factor: Any, upper: bool = False) -> Any:
    """The solution of a system whose matrix has this Cholesky factor."""
    lower = jnp.swapaxes(factor, -2, -1).conj() if upper else factor
    half = torch_triangular_solve(lower, b, upper=False)
    return torch_triangular_solve(jnp.swapaxes(lower, -2, -1).conj(), half, upper=True)
