"""Functions value by value, with torch's values at their corners and its gradients at kinks."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax


def torch_abs(x: Any) -> Any:
    """`torch.abs`: the gradient at 0 is 0."""
    if not jnp.issubdtype(x.dtype, jnp.floating):
        return jnp.abs(x)
    return jnp.abs(jnp.where(x == 0, lax.stop_gradient(x), x))


def torch_sign(x: Any) -> Any:
    """`torch.sign`: the sign of NaN is 0."""
    return jnp.nan_to_num(jnp.sign(x)) if jnp.issubdtype(x.dtype, jnp.floating) else jnp.sign(x)


def torch_atan2(y: Any, x: Any) -> Any:
    """`torch.atan2`: the gradient at the origin is 0."""
    origin = (x == 0) & (y == 0)
    angle = jnp.arctan2(y, jnp.where(origin, 1, x))
    return jnp.where(origin, lax.stop_gradient(jnp.arctan2(y, x)), angle)


def torch_clamp(x: Any, min: Any = None, max: Any = None) -> Any:
    """`torch.clamp`: on a bound, the gradient is that of x."""
    bounds = [one for one in (min, max) if one is not None]
    dtype = jnp.result_type(x, *bounds)
    result = x.astype(dtype)
    if min is not None:
        low = jnp.asarray(min, dtype)
        result = jnp.where((result < low) | jnp.isnan(low), low, result)
    if max is not None:
        high = jnp.asarray(max, dtype)
        result = jnp.where((result > high) | jnp.isnan(high), high, result)
    return result


def torch_div(x: Any, y: Any, rounding_mode: str | None = None) -> Any:
    """`torch.div`, with or without rounding."""
    if rounding_mode is None:
        return x / y
    if rounding_mode == "floor":
        return x // y
    dtype = jnp.result_type(x, y)
    if jnp.issubdtype(dtype, jnp.floating):
        return jnp.trunc(x / y)
    return lax.div(*jnp.broadcast_arrays(jnp.asarray(x, dtype), jnp.asarray(y, dtype)))


def torch_pow(x: Any, y: Any) -> Any:
    """`torch.pow`: a negative power of an integer is 0, except of 1 and -1."""
    kind = jnp.result_type(x, y)
    if not jnp.issubdtype(kind, jnp.signedinteger):
        return x**y
    x, y = jnp.broadcast_arrays(jnp.asarray(x, kind), jnp.asarray(y, kind))
    ones = jnp.where(x == 1, 1, jnp.where(x == -1, jnp.where(y % 2 == 0, 1, -1), 0))
    return jnp.where(y < 0, ones.astype(kind), x ** jnp.where(y < 0, 0, y))


def torch_xlogy(x: Any, y: Any) -> Any:
    """`torch.xlogy`: x log(y), which is 0 where x is, unless y is NaN."""
    x, y = jnp.broadcast_arrays(jnp.asarray(x), jnp.asarray(y))
    zero = (x == 0) & ((y <= 0) | jnp.isposinf(y))
    return jnp.where(zero, 0, x * jnp.log(jnp.where(zero, 1, y)))


def torch_lerp(x: Any, y: Any, weight: Any) -> Any:
    """`torch.lerp`: counted from the nearer end."""
    near = jnp.abs(weight) < 0.5
    return jnp.where(near, x + weight * (y - x), y - (y - x) * (1 - weight))


def torch_isclose(
    x: Any, y: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Any:
    """`torch.isclose`."""
    return jnp.isclose(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan)


def torch_logit(x: Any, eps: float | None = None) -> Any:
    """`torch.logit`."""
    if eps is not None:
        x = jnp.where(x < eps, eps, jnp.where(x > 1 - eps, 1 - eps, x))
    return jnp.log(x / (1 - x))


def torch_softmax(x: Any, dim: int, dtype: Any = None, log: bool = False) -> Any:
    """`torch.softmax` and `torch.log_softmax`."""
    x = x if dtype is None else x.astype(dtype)
    return (jax.nn.log_softmax if log else jax.nn.softmax)(x, axis=dim)


def torch_equal(x: Any, y: Any) -> bool:
    """`torch.equal`."""
    return x.shape == y.shape and bool(jnp.all(x == y))


def torch_allclose(
    x: Any, y: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> bool:
    """`torch.allclose`."""
    return bool(jnp.all(jnp.isclose(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan)))


def torch_addcmul(x: Any, y: Any, z: Any, value: Any = 1) -> Any:
    """`torch.addcmul`: the factor is cast to the dtype of x."""
    return x + jnp.asarray(value, x.dtype) * y * z


def torch_addcdiv(x: Any, y: Any, z: Any, value: Any = 1) -> Any:
    """`torch.addcdiv`."""
    return x + value * (y / z)


def torch_fmax(x: Any, y: Any, smallest: bool = False) -> Any:
    """`torch.fmax` and `torch.fmin`: of equal values, the first has the gradient."""
    first = x <= y if smallest else x >= y
    if jnp.issubdtype(jnp.result_type(x, y), jnp.floating):
        first = first | jnp.isnan(y)
    return jnp.where(first, x, y)


def torch_sigmoid(x: Any) -> Any:
    """`torch.sigmoid`, of integers too."""
    return jax.nn.sigmoid(x if jnp.issubdtype(x.dtype, jnp.inexact) else x.astype(jnp.float32))


def torch_fftn(x: Any, s: Any = None, dim: Any = None, norm: Any = None, back: bool = False) -> Any:
    """`torch.fft.fftn`, `ifftn`, `fft2` and `ifft2`."""
    sizes = (s,) if isinstance(s, int) else s
    axes = (dim,) if isinstance(dim, int) else dim
    if axes is None and sizes is not None:
        axes = tuple(range(x.ndim - len(sizes), x.ndim))
    if sizes is not None:
        sizes = [x.shape[at] if size == -1 else size for size, at in zip(sizes, axes, strict=False)]
        axes = tuple(axes)[len(axes) - len(sizes) :] if dim is not None else axes
    return (jnp.fft.ifftn if back else jnp.fft.fftn)(x, s=sizes, axes=axes, norm=norm)
