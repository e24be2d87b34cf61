"""Arithmetic with torch's values at its corners, and torch's gradients at kinks and ties."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax


def _abs(x: Any) -> Any:
    """The magnitude, whose gradient at 0 is 0."""
    return x * jnp.sign(x)


def _sign(x: Any) -> Any:
    """The sign, which is 0 of NaN."""
    return jnp.where(jnp.isnan(x), 0, jnp.sign(x))


def _root(x: Any) -> Any:
    """The square root, whose gradient at 0 is 0."""
    zero = x == 0
    return jnp.where(zero, x, jnp.sqrt(jnp.where(zero, 1, x)))


def _clip(x: Any, low: Any = None, high: Any = None) -> Any:
    """x between bounds, on which the gradient is that of x."""
    if low is not None:
        x = jnp.where(x < low, low, x)
    return x if high is None else jnp.where(x > high, high, x)


def _hardtanh(x: Any, low: float, high: float) -> Any:
    """x between bounds, on which the gradient is 0."""
    return jnp.where(x <= low, low, jnp.where(x >= high, high, x))


def _hardswish(x: Any) -> Any:
    """x times the part of it between -3 and 3."""
    return jnp.where(x <= -3, 0, jnp.where(x >= 3, x, x * (x + 3) / 6))


def _hardshrink(x: Any, width: float) -> Any:
    """x outside a width around 0."""
    return jnp.where((x >= -width) & (x <= width), 0, x)


def _softshrink(x: Any, width: float) -> Any:
    """x less a width towards 0."""
    less = jnp.where(x < -width, x + width, x * 0)
    return jnp.where(x > width, x - width, less)


def _elu(x: Any, alpha: float, scale: float, inner: float) -> Any:
    """The exponential linear unit with both of torch's scales."""
    low = jnp.where(x > 0, 0, x)
    return scale * jnp.where(x > 0, x, alpha * jnp.expm1(low * inner))


def _softplus(x: Any, beta: float, threshold: float) -> Any:
    """log(1 + exp(beta x)) / beta, and x itself beyond the threshold."""
    return jnp.where(x * beta > threshold, x, jax.nn.softplus(x * beta) / beta)


def _safe_softmax(x: Any, axis: Any) -> Any:
    """The softmax, which is 0 along an axis that holds nothing but minus infinity."""
    empty = jnp.all(x == -jnp.inf, axis=axis, keepdims=True)
    return jnp.where(empty, 0, jax.nn.softmax(jnp.where(empty, 0, x), axis=axis))


def _floor_divide(a: Any, b: Any) -> Any:
    """The quotient rounded down; by zero, what division gives."""
    a, b = jnp.broadcast_arrays(jnp.asarray(a), jnp.asarray(b))
    rest = jnp.fmod(a, b)
    whole = (a - rest) / b - ((rest != 0) & ((b < 0) != (rest < 0)))
    near = jnp.floor(whole)
    near = jnp.where(whole - near > 0.5, near + 1, near)
    return jnp.where(b == 0, a / b, jnp.where(whole == 0, 0 * (a / b), near))


def _integer_power(base: Any, power: Any) -> Any:
    """Whole powers; a negative one is 0 but of 1 and -1."""
    base, power = jnp.broadcast_arrays(base, power)
    if not jnp.issubdtype(power.dtype, jnp.signedinteger):
        return lax.integer_pow(base, 0) * 0 + base**power
    odd = (power % 2) != 0
    one = jnp.where(base == 1, 1, jnp.where(base == -1, jnp.where(odd, -1, 1), 0))
    return jnp.where(power < 0, one, base ** jnp.where(power < 0, 0, power)).astype(base.dtype)


def _xlogy(x: Any, y: Any) -> Any:
    """x log(y), which is 0 where x is, and NaN where y is."""
    x, y = jnp.broadcast_arrays(jnp.asarray(x), jnp.asarray(y))
    zero = (x == 0) & ~jnp.isnan(y)
    return jnp.where(zero, 0, x * jnp.log(jnp.where(zero, 1, y)))


def _lerp(a: Any, b: Any, weight: Any) -> Any:
    """The point between a and b, counted from the nearer of them."""
    near = jnp.abs(weight) < 0.5
    return jnp.where(near, a + weight * (b - a), b - (b - a) * (1 - weight))


def _linspace(start: Any, end: Any, count: int, dtype: Any) -> Any:
    """Numbers at equal distances, counted from the nearer end."""
    if count == 1:
        return jnp.full([1], start, dtype)
    places = jnp.arange(count)
    step = (end - start) / (count - 1)
    found = jnp.where(places < count // 2, start + step * places, end - step * (count - 1 - places))
    return found.astype(dtype)


def _polar(size: Any, angle: Any) -> Any:
    """Complex numbers by size and angle."""
    return lax.complex(size * jnp.cos(angle), size * jnp.sin(angle))


def _vector_norm(x: Any, order: float, axes: Any, keepdims: bool = False) -> Any:
    """A norm of the elements along axes; the gradient at 0 is 0."""
    size = jnp.abs(x) if jnp.iscomplexobj(x) else _abs(x)
    if order == 2:
        return _root(jnp.sum(jnp.square(size), axis=axes, keepdims=keepdims))
    if order == 0:
        return jnp.sum((x != 0).astype(size.dtype), axis=axes, keepdims=keepdims)
    if order == 1:
        return jnp.sum(size, axis=axes, keepdims=keepdims)
    if order == float("inf"):
        return jnp.max(size, axis=axes, keepdims=keepdims)
    if order == float("-inf"):
        return jnp.min(size, axis=axes, keepdims=keepdims)
    if order < 0:  # 0 where an element is, without a gradient
        size, none = jnp.where(size == 0, 1, size), jnp.any(size == 0, axis=axes, keepdims=keepdims)
        total = jnp.sum(size**order, axis=axes, keepdims=keepdims)
        return jnp.where(none, 0, total ** (1 / order))
    total = jnp.sum(size**order, axis=axes, keepdims=keepdims)
    zero = total == 0
    return jnp.where(zero, 0, jnp.where(zero, 1, total) ** (1 / order))


def _cdist(a: Any, b: Any, order: float = 2.0) -> Any:
    """Distances between the rows of two batches of matrices."""
    return _vector_norm(a[..., :, None, :] - b[..., None, :, :], order, -1)


def _renorm(x: Any, order: float, axis: int, most: float) -> Any:
    """x with each slice along an axis scaled to a norm of at most that."""
    axes = tuple(at for at in range(x.ndim) if at != axis)
    norm = _vector_norm(x, order, axes, keepdims=True)
    return x * jnp.where(norm > most, most / (norm + 1e-7), 1)


def _grouped_matmul(x: Any, weights: Any, ends: Any) -> Any:
    """Rows of x by the weight of their group; a group ends before the row that `ends` says."""
    ends = ends.astype("int32")
    sizes = jnp.diff(ends, prepend=jnp.zeros([1], "int32"))
    rows = jnp.arange(x.shape[0])[:, None]
    return jnp.where(rows < ends[-1], lax.ragged_dot(x, weights, sizes), 0)


def _symmetric(x: Any, upper: bool) -> Any:
    """The symmetric matrix that one triangle of x says; a gradient to both."""
    half = jnp.triu(x) if upper else jnp.tril(x)
    other = jnp.conj((jnp.triu(x, 1) if upper else jnp.tril(x, -1)).swapaxes(-2, -1))
    return x + lax.stop_gradient(half + other - x)


def _cholesky(x: Any, upper: bool) -> Any:
    """The factor of the symmetric matrix that one triangle of x says."""
    return jnp.linalg.cholesky(_symmetric(x, upper), upper=upper)


def _solve_triangular(a: Any, b: Any, upper: bool, left: bool = True, unit: bool = False) -> Any:
    """What a triangle of a, times it, or it times that, gives b."""
    batch = jnp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = (jnp.broadcast_to(x, batch + x.shape[-2:]) for x in (a, b))
    return lax.linalg.triangular_solve(a, b, left_side=left, lower=not upper, unit_diagonal=unit)


def _cosine_window(size: int, periodic: bool, weights: Any, dtype: str) -> Any:
    """A window of cosines, such as Hann's."""
    if size < 2:
        return jnp.ones([size], dtype)
    angles = jnp.arange(size) * (2 * math.pi / (size if periodic else size - 1))
    terms = [(-1) ** k * weight * jnp.cos(k * angles) for k, weight in enumerate(weights)]
    return sum(terms, jnp.zeros([])).astype(dtype)
