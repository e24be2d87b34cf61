"""Products and decompositions in torch's forms, with its names of the results."""

from __future__ import annotations

from typing import Any, NamedTuple

import paddle

from workbench.targets.paddle.math.helpers.arithmetic import (
    torch_add,
    torch_div,
    torch_mul,
    torch_operands,
    torch_outer,
    torch_sub,
)
from workbench.targets.paddle.math.helpers.dtypes import (
    torch_inexact,
    torch_kind,
    torch_promote,
    torch_promote_types,
    torch_with_kernels,
)
from workbench.targets.paddle.math.helpers.reduction import torch_cumulative, torch_sum
from workbench.targets.paddle.math.helpers.statistics import torch_norm
from workbench.targets.paddle.tensors.helpers.grad import torch_flat
from workbench.targets.paddle.tensors.helpers.shapes import torch_broadcast_tensors, torch_conj


class TorchSlogdet(NamedTuple):
    """The sign of a determinant and the logarithm of its size."""

    sign: paddle.Tensor
    logabsdet: paddle.Tensor


class TorchQR(NamedTuple):
    """An orthogonal and a triangular factor."""

    Q: paddle.Tensor
    R: paddle.Tensor


class TorchSVD(NamedTuple):
    """Left singular vectors, singular values, right singular vectors."""

    U: paddle.Tensor
    S: paddle.Tensor
    V: paddle.Tensor


class TorchLU(NamedTuple):
    """Both triangular factors in one matrix, and the pivots."""

    LU: paddle.Tensor
    pivots: paddle.Tensor


def torch_matmul(first: paddle.Tensor, second: paddle.Tensor) -> paddle.Tensor:
    """The product of matrices, also in dtypes that a CPU multiplies none of."""
    if first.dtype == paddle.bfloat16 and first.place.is_cpu_place():
        return paddle.matmul(first.astype("float32"), second.astype("float32")).astype(first.dtype)
    return torch_with_kernels(paddle.matmul, first, second)


def torch_combined(tensor: paddle.Tensor, product: paddle.Tensor, beta: Any, alpha: Any) -> Any:
    """`beta * tensor + alpha * product`; nothing of the tensor, not even NaN, where beta is 0."""
    product, tensor = torch_operands(product, tensor)
    if product.dtype in (paddle.uint8, paddle.int8, paddle.int16):  # a CPU multiplies none
        wide = torch_combined(tensor.astype("int32"), product.astype("int32"), beta, alpha)
        return wide.astype(product.dtype)
    if alpha != 1:
        product = product * paddle.full([], alpha, dtype=product.dtype)
    if beta == 0:
        return product + paddle.zeros_like(tensor)
    return product + (tensor if beta == 1 else tensor * paddle.full([], beta, dtype=tensor.dtype))


def torch_addmm(
    tensor: paddle.Tensor,
    first: paddle.Tensor,
    second: paddle.Tensor,
    beta: Any = 1,
    alpha: Any = 1,
) -> paddle.Tensor:
    """A scaled tensor plus a scaled matrix product."""
    return torch_combined(tensor, torch_matmul(first, second), beta, alpha)


def torch_baddbmm(
    tensor: paddle.Tensor,
    first: paddle.Tensor,
    second: paddle.Tensor,
    beta: Any = 1,
    alpha: Any = 1,
) -> paddle.Tensor:
    """A scaled tensor plus scaled matrix products."""
    return torch_combined(tensor, torch_matmul(first, second), beta, alpha)


def torch_addmv(
    tensor: paddle.Tensor,
    first: paddle.Tensor,
    second: paddle.Tensor,
    beta: Any = 1,
    alpha: Any = 1,
) -> paddle.Tensor:
    """A scaled vector plus a scaled product of a matrix and a vector."""
    return torch_combined(tensor, torch_matmul(first, second), beta, alpha)


def torch_addr(
    tensor: paddle.Tensor,
    first: paddle.Tensor,
    second: paddle.Tensor,
    beta: Any = 1,
    alpha: Any = 1,
) -> paddle.Tensor:
    """A scaled matrix plus a scaled outer product."""
    return torch_combined(tensor, torch_outer(first, second), beta, alpha)


def torch_addbmm(
    tensor: paddle.Tensor,
    first: paddle.Tensor,
    second: paddle.Tensor,
    beta: Any = 1,
    alpha: Any = 1,
) -> paddle.Tensor:
    """A scaled matrix plus the scaled sum of matrix products."""
    products = torch_matmul(first, second)
    return torch_combined(tensor, paddle.sum(products, axis=0, dtype=products.dtype), beta, alpha)


def torch_vdot(first: paddle.Tensor, second: paddle.Tensor) -> paddle.Tensor:
    """The dot product with the conjugate of the first."""
    if not first.is_complex():
        return torch_matmul(first, second)
    products = torch_conj(first) * second
    return paddle.sum(products, dtype=products.dtype)


def torch_cross(
    first: paddle.Tensor, second: paddle.Tensor, dim: int | None = None
) -> paddle.Tensor:
    """The cross product, along the first dimension of size 3 unless one is given."""
    first, second = torch_broadcast_tensors([first, second])
    if first.dtype in (paddle.uint8, paddle.int8, paddle.int16):  # no kernels on a CPU
        return torch_cross(first.astype("int32"), second.astype("int32"), dim).astype(first.dtype)
    if dim is None:
        dim = list(first.shape).index(3)
    if first.shape[dim] != 3:
        raise RuntimeError(f"the dimension {dim} must have size 3 but has {first.shape[dim]}")
    # Paddle's own ends the process where gradients of it are asked for.
    one, two = paddle.roll(first, -1, dim), paddle.roll(second, -2, dim)
    return one * two - paddle.roll(first, -2, dim) * paddle.roll(second, -1, dim)


def torch_logdet(tensor: paddle.Tensor) -> paddle.Tensor:
    """The logarithm of the determinant: NaN where that is negative."""
    return paddle.log(paddle.linalg.det(tensor))


def torch_slogdet(tensor: paddle.Tensor) -> TorchSlogdet:
    """The sign of the determinant and the logarithm of its size."""
    both = paddle.linalg.slogdet(tensor)
    return TorchSlogdet(both[0], both[1].real() if both[1].is_complex() else both[1])


def torch_qr(tensor: paddle.Tensor, some: bool = True) -> TorchQR:
    """An orthogonal and a triangular factor."""
    return torch_both_factors(tensor, "reduced" if some else "complete")


def torch_both_factors(tensor: paddle.Tensor, mode: str) -> TorchQR:
    """Both factors, each with a gradient of the other: a missing one ends Paddle's process."""
    if tensor.size == 0:  # as does a gradient of nothing
        q, r = paddle.linalg.qr(tensor.detach(), mode=mode)
        return TorchQR(torch_flat(q, tensor), torch_flat(r, tensor))
    q, r = paddle.linalg.qr(tensor, mode=mode)
    if q.stop_gradient or not paddle.is_grad_enabled():
        return TorchQR(q, r)
    nothing = 0 * (q.sum(axis=[-2, -1], keepdim=True) + r.sum(axis=[-2, -1], keepdim=True))
    return TorchQR(q + nothing, r + nothing)


def torch_svd(tensor: paddle.Tensor, some: bool = True, compute_uv: bool = True) -> TorchSVD:
    """The singular value decomposition; the right vectors are the columns of V."""
    left, values, right = paddle.linalg.svd(tensor, full_matrices=not some)
    if not compute_uv:
        return TorchSVD(paddle.zeros_like(left), values, paddle.zeros_like(right.mT))
    return TorchSVD(left, values, torch_conj(right).mT)


def torch_lu(tensor: paddle.Tensor, pivot: bool = True, get_infos: bool = False) -> Any:
    """Both triangular factors in one matrix, and the pivots."""
    found: Any = paddle.linalg.lu(tensor, pivot=pivot, get_infos=get_infos)
    if get_infos:
        return (found[0], found[1].detach(), found[2].detach())
    return TorchLU(found[0], found[1].detach())


def torch_tensordot(first: paddle.Tensor, second: paddle.Tensor, dims: Any = 2) -> paddle.Tensor:
    """Sums over pairs of dimensions."""
    if isinstance(dims, paddle.Tensor):
        dims = dims.tolist()
    return torch_with_kernels(lambda one, two: paddle.tensordot(one, two, axes=dims), first, second)


def torch_dist(first: paddle.Tensor, second: paddle.Tensor, p: Any = 2) -> paddle.Tensor:
    """The norm of a difference."""
    first, second = torch_operands(first, second)
    return torch_norm((first - second).flatten(), p)


def torch_cov(
    tensor: paddle.Tensor, correction: int = 1, fweights: Any = None, aweights: Any = None
) -> paddle.Tensor:
    """The covariance of the rows, with any correction of the divisor."""
    rows = tensor.reshape([1, -1]) if tensor.ndim < 2 else tensor
    if torch_kind(rows.dtype) < 2:
        rows = rows.astype(paddle.get_default_dtype())
    weights = paddle.ones([rows.shape[1]], dtype=rows.dtype)
    counts = weights if fweights is None else fweights.astype(rows.dtype)
    weights = counts if aweights is None else counts * aweights.astype(rows.dtype)
    total = weights.sum()
    centred = rows - (rows * weights).sum(axis=1, keepdim=True) / total
    if aweights is None:
        divisor = total - correction
    else:
        divisor = total - correction * (weights * aweights).sum() / total
    result = (centred * weights) @ torch_conj(centred).mT / paddle.clip(divisor, min=0)
    return result.reshape([]) if rows.shape[0] == 1 else result


def torch_diff(
    tensor: paddle.Tensor, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None
) -> paddle.Tensor:
    """Differences of neighbours, several times over; of truth values whether they are unlike."""
    if n == 0:
        return tensor.clone()
    parts = [part for part in (prepend, tensor, append) if part is not None]
    if len(parts) > 1:
        tensor = paddle.concat(torch_promote(*parts), axis=dim)
    if tensor.dtype == paddle.float16:  # no kernel on a CPU; each difference is rounded
        moved = tensor
        for _ in range(min(n, tensor.shape[dim])):
            moved = torch_diff(moved.astype("float32"), 1, dim).astype("float16")
        return moved
    narrow = tensor.dtype in (paddle.uint8, paddle.int8, paddle.int16)
    moved = (tensor.astype("int32") if narrow else tensor).moveaxis(dim, 0)
    for _ in range(min(n, moved.shape[0])):
        right, left = moved[1:], moved[:-1]
        moved = right ^ left if tensor.dtype == paddle.bool else right - left
    return moved.moveaxis(0, dim).astype(tensor.dtype)


def torch_trapezoid(y: paddle.Tensor, x: Any = None, dx: Any = 1.0, dim: int = -1) -> paddle.Tensor:
    """The integral along a dimension by the trapezoidal rule; bytes overflow as torch's."""
    dim %= y.ndim
    right, left = torch_neighbours(y, dim)
    if x is not None:
        areas = torch_mul(torch_steps(x, y, dim), torch_add(right, left))
        return torch_div(torch_sum(areas, dim), 2)
    if y.shape[dim] == 0:
        return torch_inexact(torch_sum(y, dim))
    ends = torch_add(*(y.moveaxis(dim, 0)[place] for place in (0, -1)))
    return torch_mul(torch_sub(torch_sum(y, dim), torch_mul(ends, 0.5)), dx)


def torch_cumulative_trapezoid(
    y: paddle.Tensor, x: Any = None, dx: Any = 1.0, dim: int = -1
) -> paddle.Tensor:
    """The running integral along a dimension by the trapezoidal rule."""
    dim %= y.ndim
    sums = torch_add(*torch_neighbours(y, dim))
    if x is None:
        return torch_cumulative(torch_mul(sums, dx / 2), dim, paddle.cumsum)
    total = torch_cumulative(torch_mul(torch_steps(x, y, dim), sums), dim, paddle.cumsum)
    return torch_div(total, 2)


def torch_kron(first: paddle.Tensor, second: paddle.Tensor) -> paddle.Tensor:
    """The Kronecker product, in the dtype of both, for which numbers of dimensions do not count."""
    dtype = torch_promote_types(first.dtype, second.dtype)
    wide = "int32" if dtype in (paddle.bool, paddle.uint8, paddle.int8, paddle.int16) else dtype
    result = paddle.kron(first.astype(wide), second.astype(wide))
    return result if result.dtype == dtype else result.astype(dtype)


def torch_multi_dot(tensors: Any) -> paddle.Tensor:
    """The product of matrices, from left to right; Paddle's own has no backward pass."""
    product, *rest = tensors
    for tensor in rest:
        product = torch_matmul(product, tensor)
    return product


def torch_neighbours(tensor: paddle.Tensor, dim: int) -> list[paddle.Tensor]:
    """All but the first, and all but the last, along a dimension."""
    lead = (slice(None),) * dim
    return [tensor[(*lead, slice(1, None))], tensor[(*lead, slice(None, -1))]]


def torch_steps(x: paddle.Tensor, y: paddle.Tensor, dim: int) -> paddle.Tensor:
    """How far neighbours of `y` lie apart."""
    if x.ndim == 1:
        x = x.reshape([-1 if k == dim else 1 for k in range(y.ndim)])
    elif x.ndim < y.ndim:
        x = x.reshape([1] * (y.ndim - x.ndim) + list(x.shape))
    return torch_sub(*torch_neighbours(x, dim))


def torch_gradient(
    tensor: paddle.Tensor, spacing: Any = 1, dim: Any = None, edge_order: int = 1
) -> tuple[paddle.Tensor, ...]:
    """Central differences within, one-sided ones of the given order at the ends."""
    dims = range(tensor.ndim) if dim is None else [dim] if isinstance(dim, int) else dim
    spacing = 1 if spacing is None else spacing
    several = isinstance(spacing, (list, tuple))
    tensor = torch_inexact(tensor)
    found = []
    for place, axis in enumerate(dims):
        step = spacing[place] if several else spacing
        values = tensor.moveaxis(axis, 0)
        size = values.shape[0]
        if isinstance(step, paddle.Tensor) and step.ndim:
            at = torch_inexact(step)
        else:
            real = {"complex64": "float32", "complex128": "float64"}
            name = str(tensor.dtype).rpartition(".")[2]
            at = paddle.arange(size, dtype=real.get(name, name)) * step
        gaps = (at[1:] - at[:-1]).reshape([-1] + [1] * (tensor.ndim - 1))
        before, after = gaps[:-1], gaps[1:]
        slopes = (values[1:] - values[:-1]) / gaps
        middle = (slopes[:-1] * after + slopes[1:] * before) / (before + after)
        if edge_order == 1:
            first, last = slopes[:1], slopes[-1:]
        else:
            first = slopes[:1] + (slopes[:1] - slopes[1:2]) * gaps[:1] / (gaps[:1] + gaps[1:2])
            last = slopes[-1:] + (slopes[-1:] - slopes[-2:-1]) * gaps[-1:] / (
                gaps[-1:] + gaps[-2:-1]
            )
        found.append(paddle.concat([first, middle, last]).moveaxis(0, axis))
    return tuple(found)


def torch_svd_lowrank(tensor: paddle.Tensor, q: int = 6, niter: int = 2, less: Any = None) -> Any:
    """The largest singular values with their vectors, no more than there are."""
    return paddle.linalg.svd_lowrank(tensor, min(q, *tensor.shape[-2:]), niter, less)


def torch_sum_to_size(tensor: paddle.Tensor, size: Any) -> paddle.Tensor:
    """Sums over the dimensions that were broadcast from a size."""
    if len(size) == 1 and isinstance(size[0], (list, tuple)):
        size = size[0]
    lead = tensor.ndim - len(size)
    if lead or not size:
        tensor = torch_sum(tensor, list(range(lead)))
    axes = [k for k, n in enumerate(size) if n == 1 and tensor.shape[k] != 1]
    return torch_sum(tensor, axes, True) if axes else tensor
