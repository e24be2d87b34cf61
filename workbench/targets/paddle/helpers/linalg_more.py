"""torch.linalg's forms and named results."""

from __future__ import annotations

from typing import Any, NamedTuple

import paddle

from workbench.targets.paddle.helpers.linalg import (
    TorchQR,
    torch_both_factors,
    torch_cholesky,
    torch_lu,
    torch_solve_equations,
    torch_solve_lower_or_upper,
)
from workbench.targets.paddle.helpers.tensor_shapes import torch_conj
from workbench.targets.paddle.helpers.tensor_statistics import torch_norm


class TorchEigh(NamedTuple):
    """Eigenvalues and eigenvectors."""

    eigenvalues: paddle.Tensor
    eigenvectors: paddle.Tensor


class TorchSVDh(NamedTuple):
    """Left singular vectors, singular values, and the right vectors as rows."""

    U: paddle.Tensor
    S: paddle.Tensor
    Vh: paddle.Tensor


class TorchCholesky(NamedTuple):
    """A triangular factor, and whether it failed."""

    L: paddle.Tensor
    info: paddle.Tensor


class TorchInverse(NamedTuple):
    """An inverse, and whether it failed."""

    inverse: paddle.Tensor
    info: paddle.Tensor


class TorchSolved(NamedTuple):
    """A solution, and whether it failed."""

    result: paddle.Tensor
    info: paddle.Tensor


class TorchLUex(NamedTuple):
    """Both triangular factors in one matrix, the pivots, and whether it failed."""

    LU: paddle.Tensor
    pivots: paddle.Tensor
    info: paddle.Tensor


class TorchPLU(NamedTuple):
    """A permutation and two triangular factors."""

    P: paddle.Tensor
    L: paddle.Tensor
    U: paddle.Tensor


class TorchLstsq(NamedTuple):
    """A least squares solution and what is known of the equations."""

    solution: paddle.Tensor
    residuals: paddle.Tensor
    rank: paddle.Tensor
    singular_values: paddle.Tensor


def torch_singular_values(tensor: paddle.Tensor) -> paddle.Tensor:
    """Singular values; Paddle's `svdvals` drops dimensions of size one."""
    return paddle.linalg.svd(tensor, full_matrices=False)[1]


def torch_info(tensor: paddle.Tensor) -> paddle.Tensor:
    """Zero for every matrix: nothing failed, since Paddle would have raised."""
    return paddle.zeros(tensor.shape[:-2], dtype="int32")


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


def torch_cholesky_ex(
    tensor: paddle.Tensor, upper: bool = False, check_errors: bool = False
) -> TorchCholesky:
    """A triangular factor; a matrix that has none raises."""
    return TorchCholesky(torch_cholesky(tensor, upper), torch_info(tensor))


def torch_inv_ex(tensor: paddle.Tensor, check_errors: bool = False) -> TorchInverse:
    """An inverse; a matrix that has none raises."""
    return TorchInverse(paddle.linalg.inv(tensor), torch_info(tensor))


def torch_cond(tensor: paddle.Tensor, p: Any = None) -> paddle.Tensor:
    """The condition number by a norm."""
    if p is None or p in (2, -2):
        values = torch_singular_values(tensor)
        large, small = values[..., 0], values[..., -1]
        return small / large if p == -2 else large / small
    return torch_matrix_norm(tensor, p) * torch_matrix_norm(paddle.linalg.inv(tensor), p)


def torch_eigh(tensor: paddle.Tensor, uplo: str = "L") -> TorchEigh:
    """Eigenvalues and eigenvectors of a symmetric matrix."""
    return TorchEigh(*paddle.linalg.eigh(tensor, UPLO=uplo))


def torch_eig(tensor: paddle.Tensor) -> TorchEigh:
    """Eigenvalues and eigenvectors."""
    return TorchEigh(*paddle.linalg.eig(tensor))


def torch_solve(left: paddle.Tensor, right: paddle.Tensor, on_left: bool = True) -> paddle.Tensor:
    """Solve linear equations with the matrix on either side."""
    if not on_left:
        return torch_solve_equations(left.mT, right.mT).mT
    if right.ndim > 1 and list(right.shape) == list(left.shape[:-1]):
        return torch_solve_equations(left, right.unsqueeze(-1)).squeeze(-1)
    return torch_solve_equations(left, right)


def torch_solve_ex(left: paddle.Tensor, right: paddle.Tensor, on_left: bool = True) -> TorchSolved:
    """Solve linear equations; a matrix without an inverse raises."""
    return TorchSolved(torch_solve(left, right, on_left), torch_info(left))


def torch_solve_triangular(
    matrix: paddle.Tensor,
    right: paddle.Tensor,
    upper: bool,
    left: bool = True,
    unitriangular: bool = False,
) -> paddle.Tensor:
    """Solve equations with a triangular matrix on either side."""
    if unitriangular:  # Paddle's gradient would count the diagonal
        part = paddle.triu(matrix, 1) if upper else paddle.tril(matrix, -1)
        matrix = part + paddle.eye(matrix.shape[-1], dtype=matrix.dtype)
    if left:
        return torch_solve_lower_or_upper(matrix, right, upper)
    return torch_solve_lower_or_upper(matrix.mT, right.mT, not upper).mT


def torch_lstsq(
    left: paddle.Tensor, right: paddle.Tensor, rcond: Any = None, driver: Any = None
) -> TorchLstsq:
    """A least squares solution, for a matrix or a vector on the right."""
    vector = right.ndim == left.ndim - 1 and right.shape == left.shape[:-1]
    if vector:
        right = right.unsqueeze(-1)
    if left.ndim == right.ndim > 2 and left.shape[:-2] != right.shape[:-2]:
        batch = paddle.broadcast_shape(left.shape[:-2], right.shape[:-2])
        left = left.expand([*batch, *left.shape[-2:]])
        right = right.expand([*batch, *right.shape[-2:]])
    found = paddle.linalg.lstsq(left.detach(), right.detach(), rcond, driver)
    recorded = not (left.stop_gradient and right.stop_gradient)
    solution = torch_pinv(left) @ right if recorded else found[0]
    residuals, rank, values = found[1:]
    if vector:
        solution = solution.squeeze(-1)
        residuals = residuals.squeeze(-1) if residuals.size else residuals
    return TorchLstsq(solution, residuals, rank.astype("int64"), values)


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


def torch_lu_ex(tensor: paddle.Tensor, pivot: bool = True, check_errors: bool = False) -> TorchLUex:
    """Both triangular factors in one matrix, the pivots, and that nothing failed."""
    factors = torch_lu(tensor, pivot)
    return TorchLUex(factors[0], factors[1], torch_info(tensor))


def torch_linalg_lu_solve(
    factors: paddle.Tensor,
    pivots: paddle.Tensor,
    right: paddle.Tensor,
    left: bool = True,
    adjoint: bool = False,
) -> paddle.Tensor:
    """Solve linear equations from the factors of their matrix."""
    permutation, lower, upper = paddle.linalg.lu_unpack(factors, pivots)
    matrix = permutation @ lower @ upper
    return torch_solve(torch_conj(matrix).mT if adjoint else matrix, right, left)


def torch_tolerance(values: paddle.Tensor, tensor: paddle.Tensor, atol: Any, rtol: Any) -> Any:
    """Below which a singular value counts as zero."""
    least = paddle.to_tensor(0.0 if atol is None else atol, dtype=values.dtype).unsqueeze(-1)
    if rtol is None:
        small = paddle.finfo(tensor.dtype).eps * max(tensor.shape[-2:])
        share = (least <= 0).astype(values.dtype) * small
    else:
        share = paddle.to_tensor(rtol, dtype=values.dtype).unsqueeze(-1)
    return paddle.maximum(values.max(axis=-1, keepdim=True) * share, least)


def torch_matrix_rank(
    tensor: paddle.Tensor,
    tol: Any = None,
    atol: Any = None,
    rtol: Any = None,
    hermitian: bool = False,
) -> paddle.Tensor:
    """How many singular values are not as good as zero."""
    values = paddle.linalg.eigvalsh(tensor).abs() if hermitian else torch_singular_values(tensor)
    if tol is not None:
        atol, rtol = tol, 0.0
    return (values > torch_tolerance(values, tensor, atol, rtol)).astype("int64").sum(axis=-1)


def torch_pinv(
    tensor: paddle.Tensor,
    rcond: Any = None,
    atol: Any = None,
    rtol: Any = None,
    hermitian: bool = False,
) -> paddle.Tensor:
    """The pseudo-inverse."""
    if hermitian:  # the lower triangle counts alone
        tensor = paddle.tril(tensor) + torch_conj(paddle.tril(tensor, -1)).mT
    if tensor.size == 0:
        return paddle.zeros_like(tensor).mT
    left, values, right = paddle.linalg.svd(tensor, full_matrices=False)
    keep = values > torch_tolerance(values, tensor, atol, rcond if rtol is None else rtol)
    values = values.expand(keep.shape)
    inverse = paddle.where(
        keep, 1 / paddle.where(keep, values, paddle.ones_like(values)), paddle.zeros_like(values)
    )
    return (torch_conj(right).mT * inverse.unsqueeze(-2)) @ torch_conj(left).mT


def torch_linalg_qr(tensor: paddle.Tensor, mode: str = "reduced") -> TorchQR:
    """An orthogonal and a triangular factor."""
    if mode == "r":
        return TorchQR(paddle.zeros([0], dtype=tensor.dtype), paddle.linalg.qr(tensor, mode="r"))
    return torch_both_factors(*paddle.linalg.qr(tensor, mode=mode))


def torch_linalg_svd(tensor: paddle.Tensor, full_matrices: bool = True) -> TorchSVDh:
    """The singular value decomposition; the right vectors are the rows of Vh."""
    return TorchSVDh(*paddle.linalg.svd(tensor, full_matrices=full_matrices))


def torch_tensorinv(tensor: paddle.Tensor, ind: int = 2) -> paddle.Tensor:
    """The inverse of a tensor as a matrix from its last dimensions to its first ones."""
    shape = list(tensor.shape)
    size = 1
    for length in shape[ind:]:
        size *= length
    return paddle.linalg.inv(tensor.reshape([-1, size])).reshape(shape[ind:] + shape[:ind])


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


def torch_householder_product(vectors: paddle.Tensor, tau: paddle.Tensor) -> paddle.Tensor:
    """The first columns of a product of reflections; Paddle's own writes into its argument."""
    rows, columns = vectors.shape[-2:]
    result = paddle.eye(rows, columns, dtype=vectors.dtype)
    result = paddle.expand(result, [*vectors.shape[:-2], rows, columns])
    for k in reversed(range(tau.shape[-1])):
        below = (paddle.arange(rows) > k).astype(vectors.dtype)
        at = (paddle.arange(rows) == k).astype(vectors.dtype)
        vector = (vectors[..., :, k] * below + at).unsqueeze(-1)
        factor = tau[..., k].unsqueeze(-1).unsqueeze(-1)
        result = result - factor * (vector @ (torch_conj(vector).mT @ result))
    return result


def torch_ormqr(
    vectors: paddle.Tensor,
    tau: paddle.Tensor,
    other: paddle.Tensor,
    left: bool = True,
    transpose: bool = False,
) -> paddle.Tensor:
    """A product with all of the matrix that reflections make up, from either side."""
    rows, columns = vectors.shape[-2:]
    missing = paddle.zeros([*vectors.shape[:-2], rows, max(rows - columns, 0)], vectors.dtype)
    whole = paddle.concat([vectors[..., :rows], missing], axis=-1)
    matrix = torch_householder_product(whole, tau)
    matrix = torch_conj(matrix).mT if transpose else matrix
    return matrix @ other if left else other @ matrix


class TorchReflections(NamedTuple):
    """A triangular factor over reflections, and the factors of these."""

    a: paddle.Tensor
    tau: paddle.Tensor


def torch_geqrf(tensor: paddle.Tensor) -> TorchReflections:
    """The triangular factor with the reflections that lead to it below its diagonal."""
    rows, columns = tensor.shape[-2:]
    work, factors = tensor.clone(), []
    for k in range(min(rows, columns)):
        column = work[..., k:, k]
        head, tail = column[..., 0], column[..., 1:]
        norm = paddle.sqrt((column.abs() ** 2).sum(axis=-1))
        still = (tail.abs() ** 2).sum(axis=-1) == 0
        first = paddle.where(still, head, paddle.where(head >= 0, -norm, norm))
        safe = paddle.where(still, paddle.ones_like(head), head - first)
        factor = paddle.where(still, paddle.zeros_like(head), (first - head) / first)
        below = tail / safe.unsqueeze(-1)
        vector = paddle.concat([paddle.ones_like(head).unsqueeze(-1), below], axis=-1)
        rest = work[..., k:, k + 1 :]
        inner = (vector.unsqueeze(-1) * rest).sum(axis=-2, keepdim=True)
        rest = rest - factor.unsqueeze(-1).unsqueeze(-1) * vector.unsqueeze(-1) * inner
        done = paddle.concat([first.unsqueeze(-1), below], axis=-1).unsqueeze(-1)
        block = paddle.concat([work[..., k:, :k], done, rest], axis=-1)
        work = paddle.concat([work[..., :k, :], block], axis=-2)
        factors.append(factor)
    return TorchReflections(work, paddle.stack(factors, axis=-1))


def torch_matrix_exp(tensor: paddle.Tensor) -> paddle.Tensor:
    """The exponential of matrices, in double precision; Paddle's own has no gradient."""
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
    return total.astype(tensor.dtype)


def torch_renorm(tensor: paddle.Tensor, p: Any, dim: int, maxnorm: Any) -> paddle.Tensor:
    """Slices of a dimension scaled down to a largest norm."""
    dim %= tensor.ndim
    norm = torch_norm(tensor, p, [k for k in range(tensor.ndim) if k != dim], True)
    factor = paddle.where(norm > maxnorm, maxnorm / (norm + 1e-7), paddle.ones_like(norm))
    return tensor * factor


def torch_linalg_vander(tensor: paddle.Tensor, size: int | None = None) -> paddle.Tensor:
    """Rows of the powers of each number, from 0 up; Paddle's takes one vector."""
    columns = [paddle.ones_like(tensor)]
    for _ in range((tensor.shape[-1] if size is None else size) - 1):
        columns.append(columns[-1] * tensor)
    return paddle.stack(columns, axis=-1)
