"""Inverses, powers and the exponential of matrices, some of which hold what is no number."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import paddle


@contextmanager
def torch_failing(name: str) -> Iterator[None]:
    """Raises what torch does of a matrix without inverse or factor: Paddle's error is no kin."""
    try:
        yield
    except ValueError as error:
        raise RuntimeError(f"linalg.{name}: {error}") from error


def torch_broken(tensor: paddle.Tensor) -> paddle.Tensor:
    """Which matrices hold NaN or infinity."""
    parts = (tensor.real(), tensor.imag()) if tensor.is_complex() else (tensor, tensor)
    finite = paddle.isfinite(parts[0]) & paddle.isfinite(parts[1])
    return ~finite.all(axis=[-2, -1], keepdim=True)


def torch_inverse(tensor: paddle.Tensor) -> paddle.Tensor:
    """The inverse; nothing but NaN where a matrix holds such, for which Paddle may raise."""
    broken = torch_broken(tensor.detach())
    identity = paddle.eye(tensor.shape[-1], dtype=tensor.dtype)
    whole = tensor.size == 0 or not bool(broken.any())
    with torch_failing("inv"):
        found = paddle.linalg.inv(tensor if whole else paddle.where(broken, identity, tensor))
    return found if whole else paddle.where(broken, paddle.full_like(found, float("nan")), found)


def torch_matrix_power(tensor: paddle.Tensor, n: int) -> paddle.Tensor:
    """A power of matrices, of their inverses where it is negative."""
    if tensor.is_floating_point():
        return paddle.linalg.matrix_power(torch_inverse(tensor) if n < 0 else tensor, abs(n))
    # Paddle has no kernel for integers, and another gradient of complex numbers.
    factor = torch_inverse(tensor) if n < 0 else tensor
    factor = factor if tensor.is_complex() else tensor.astype("int64")
    power = paddle.eye(tensor.shape[-1], dtype=factor.dtype).expand(tensor.shape)
    for _ in range(abs(n)):
        power = paddle.matmul(power, factor)
    return power.astype(tensor.dtype)


def torch_matrix_exp(tensor: paddle.Tensor) -> paddle.Tensor:
    """The exponential of matrices, in double precision; Paddle's own has no gradient."""
    broken = torch_broken(tensor.detach())
    if tensor.size and bool(broken.any()):
        found = torch_matrix_exp(paddle.where(broken, paddle.zeros_like(tensor), tensor))
        return paddle.where(broken, paddle.full_like(found, float("nan")), found)
    wide = tensor.astype("complex128" if tensor.is_complex() else "float64")
    size = float(wide.detach().abs().sum(axis=-1).max()) if tensor.size else 0.0
    halvings = 0
    while size > 0.5:
        size, halvings = size / 2, halvings + 1
    wide = wide / 2**halvings
    term = paddle.expand(paddle.eye(tensor.shape[-1], dtype=wide.dtype), wide.shape)
    total = term
    for k in range(1, 15):
        term = term @ wide / k
        total = total + term
    for _ in range(halvings):
        total = total @ total
    if tensor.dtype in (paddle.float32, paddle.complex64) and tensor.size:
        norm = tensor.detach().abs().sum(axis=-2).max(axis=-1).reshape([*tensor.shape[:-2], 1, 1])
        eighth = (norm > 0.05116619363445086) & (norm <= 0.5800524627688768)
        if bool(eighth.any()):
            other = torch_eighth_degree(wide.detach() * 2.0**halvings) - total.detach()
            total = total + paddle.where(eighth, other, paddle.zeros_like(other))
    return total.astype(tensor.dtype)


def torch_eighth_degree(tensor: paddle.Tensor) -> paddle.Tensor:
    """The polynomial that torch takes for the exponential of small matrices of single precision.

    Its fifth power is a tenth off, which shows in the fifth digit.
    """
    root = 13.30413469565007
    identity = paddle.eye(tensor.shape[-1], dtype=tensor.dtype)
    square = tensor @ tensor
    fourth = square @ ((1 + root) / 132 * tensor + (1 + root) / 528 * square)
    right = (29 * root - 271) / 210 * identity + (11 * root - 11) / 840 * tensor
    right = right + (11 * root - 99) / 3360 * square + (89 - root) / 3360 * fourth
    eighth = (2 / 3 * square + fourth) @ right
    return identity + tensor + (857 - 58 * root) / 630 * square + eighth
