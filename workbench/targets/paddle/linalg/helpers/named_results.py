"""torch.linalg's forms and named results."""

from __future__ import annotations

from typing import Any, NamedTuple

import paddle

from workbench.targets.paddle.linalg.helpers.infos import torch_inv_ex
from workbench.targets.paddle.linalg.helpers.powers import torch_inverse
from workbench.targets.paddle.linalg.helpers.products import (
    TorchQR,
    torch_both_factors,
    torch_lu,
)
from workbench.targets.paddle.linalg.helpers.rank import torch_singular_values
from workbench.targets.paddle.linalg.helpers.solving import torch_solve_equations
from workbench.targets.paddle.math.helpers.dtypes import torch_kind, torch_to_real
from workbench.targets.paddle.math.helpers.statistics import torch_norm
from workbench.targets.paddle.tensors.helpers.grad import torch_flat
from workbench.targets.paddle.tensors.helpers.shapes import torch_conj


class TorchEigh(NamedTuple):
    """Eigenvalues and eigenvectors."""

    eigenvalues: paddle.Tensor
    eigenvectors: paddle.Tensor


class TorchSVDh(NamedTuple):
    """Left singular vectors, singular values, and the right vectors as rows."""

    U: paddle.Tensor
    S: paddle.Tensor
    Vh: paddle.Tensor


class TorchPLU(NamedTuple):
    """A permutation and two triangular factors."""

    P: paddle.Tensor
    L: paddle.Tensor
    U: paddle.Tensor


def torch_vector_norm(
    tensor: paddle.Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None
) -> paddle.Tensor:
    """A norm over dimensions, taken as one vector."""
    return torch_norm(tensor, ord, dim, keepdim, dtype)


def torch_matrix_norm(
    tensor: paddle.Tensor,
    ord: Any = "fro",
    dim: Any = (-2, -1),
    keepdim: bool = False,
    dtype: Any = None,
) -> paddle.Tensor:
    """A norm of matrices that lie in two dimensions."""
    if dtype is not None:
        tensor = tensor.astype(dtype)
    rows, columns = (axis % tensor.ndim for axis in dim)
    if ord == "fro":
        return torch_norm(tensor, 2, [rows, columns], keepdim)
    moved = tensor.moveaxis([rows, columns], [-2, -1])
    if ord in ("nuc", 2, -2):
        values = torch_singular_values(moved)
        result = values.sum(axis=-1) if ord == "nuc" else values[..., 0 if ord == 2 else -1]
    else:
        sums = moved.abs().sum(axis=-2 if abs(ord) == 1 else -1)
        result = sums.max(axis=-1) if ord > 0 else sums.min(axis=-1)
    if keepdim:
        for axis in sorted((rows, columns)):
            result = result.unsqueeze(axis)
    return result


def torch_linalg_norm(
    tensor: paddle.Tensor,
    ord: Any = None,
    dim: Any = None,
    keepdim: bool = False,
    dtype: Any = None,
) -> paddle.Tensor:
    """A norm of vectors or of matrices, as the number of dimensions tells."""
    if dim is None and ord is None:
        return torch_norm(tensor, 2, None, keepdim, dtype)
    if dim is None:
        dim = (0, 1) if tensor.ndim == 2 else (0,)
    axes = (dim,) if isinstance(dim, int) else tuple(dim)
    if len(axes) == 2 and ord is not None:
        return torch_matrix_norm(tensor, ord, axes, keepdim, dtype)
    return torch_norm(tensor, 2 if ord is None else ord, list(axes), keepdim, dtype)


def torch_cond(tensor: paddle.Tensor, p: Any = None) -> paddle.Tensor:
    """The condition number by a norm."""
    if p is None or p in (2, -2):
        values = torch_singular_values(tensor)
        large, small = values[..., 0], values[..., -1]
        return small / large if p == -2 else large / small
    inverse, info = torch_inv_ex(tensor)
    product = torch_matrix_norm(tensor, p) * torch_matrix_norm(inverse, p)
    return paddle.where(info == 0, product, paddle.full_like(product, float("inf")))


def torch_eigh(tensor: paddle.Tensor, uplo: str = "L") -> TorchEigh:
    """Eigenvalues and eigenvectors of a symmetric matrix."""
    return TorchEigh(*paddle.linalg.eigh(tensor, UPLO=uplo))


def torch_eigvalsh(tensor: paddle.Tensor, uplo: str = "L") -> paddle.Tensor:
    """Eigenvalues of a symmetric matrix; Paddle's gradient from the upper triangle is another."""
    if tensor.size == 0:
        return torch_flat(paddle.zeros(tensor.shape[:-1], torch_to_real(tensor.dtype)), tensor)
    if tensor.stop_gradient or not paddle.is_grad_enabled():
        return paddle.linalg.eigvalsh(tensor, uplo)
    values, vectors = paddle.linalg.eigh(tensor.detach(), uplo)
    change = (torch_conj(vectors) * ((tensor - tensor.detach()) @ vectors)).sum(axis=-2)
    return values + (change.real() if change.is_complex() else change)


def torch_eig(tensor: paddle.Tensor) -> TorchEigh:
    """Eigenvalues and eigenvectors."""
    return TorchEigh(*paddle.linalg.eig(tensor))


def torch_plu(tensor: paddle.Tensor, pivot: bool = True) -> TorchPLU:
    """A permutation and two triangular factors."""
    permutation, lower, upper = paddle.linalg.lu_unpack(*torch_lu(tensor, pivot))
    return TorchPLU(permutation.detach(), lower, upper)


def torch_lu_unpack(
    LU_data: paddle.Tensor,  # noqa: N803 (torch names it so)
    LU_pivots: paddle.Tensor,  # noqa: N803
    unpack_data: bool = True,
    unpack_pivots: bool = True,
) -> TorchPLU:
    """The permutation and the triangular factors that lie in one matrix; what is not asked for
    is empty."""
    permutation, lower, upper = paddle.linalg.lu_unpack(LU_data, LU_pivots)
    nothing = paddle.zeros([0], dtype=LU_data.dtype)
    if not unpack_data:
        lower = upper = nothing
    return TorchPLU(permutation.detach() if unpack_pivots else nothing, lower, upper)


def torch_linalg_qr(tensor: paddle.Tensor, mode: str = "reduced") -> TorchQR:
    """An orthogonal and a triangular factor."""
    if mode == "r":
        return TorchQR(paddle.zeros([0], dtype=tensor.dtype), paddle.linalg.qr(tensor, mode="r"))
    return torch_both_factors(tensor, mode)


def torch_linalg_svd(tensor: paddle.Tensor, full_matrices: bool = True) -> TorchSVDh:
    """The singular value decomposition; the right vectors are the rows of Vh."""
    return TorchSVDh(*paddle.linalg.svd(tensor, full_matrices=full_matrices))


def torch_tensorinv(tensor: paddle.Tensor, ind: int = 2) -> paddle.Tensor:
    """The inverse of a tensor as a matrix from its last dimensions to its first ones."""
    shape = list(tensor.shape)
    size = 1
    for length in shape[ind:]:
        size *= length
    return torch_inverse(tensor.reshape([-1, size])).reshape(shape[ind:] + shape[:ind])


def torch_tensorsolve(left: paddle.Tensor, right: paddle.Tensor, dims: Any = None) -> paddle.Tensor:
    """Solve linear equations between tensors."""
    if dims is not None:
        left = left.moveaxis(list(dims), list(range(left.ndim - len(dims), left.ndim)))
    shape = left.shape[right.ndim :]
    matrix = left.reshape([int(right.size), -1])
    return torch_solve_equations(matrix, right.flatten()).reshape(shape)


def torch_vecdot(first: paddle.Tensor, second: paddle.Tensor, dim: int = -1) -> paddle.Tensor:
    """Dot products along a dimension, with the conjugate of the first."""
    return (torch_conj(first) * second).sum(axis=dim)


def torch_renorm(tensor: paddle.Tensor, p: Any, dim: int, maxnorm: Any) -> paddle.Tensor:
    """Slices of a dimension scaled down to a largest norm."""
    dim %= tensor.ndim
    norm = torch_norm(tensor, p, [k for k in range(tensor.ndim) if k != dim], True)
    factor = paddle.where(norm > maxnorm, maxnorm / (norm + 1e-7), paddle.ones_like(norm))
    return tensor * factor


def torch_vander(tensor: paddle.Tensor, size: Any = None, increasing: bool = False) -> Any:
    """Rows of the powers of each number; of integers in int64."""
    whole = not (tensor.is_floating_point() or tensor.is_complex())
    return paddle.vander(tensor.astype("int64") if whole else tensor, size, increasing)


def torch_linalg_vander(tensor: paddle.Tensor, size: int | None = None) -> paddle.Tensor:
    """Rows of the powers of each number, from 0 up; Paddle's takes one vector."""
    tensor = tensor.reshape([1]) if tensor.ndim == 0 else tensor
    if torch_kind(tensor.dtype) < 2:
        tensor = tensor.astype("int64")
    columns = [paddle.ones_like(tensor)]
    for _ in range((tensor.shape[-1] if size is None else size) - 1):
        columns.append(columns[-1] * tensor)
    return paddle.stack(columns, axis=-1)
