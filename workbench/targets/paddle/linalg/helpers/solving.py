"""Solutions of linear equations."""

from __future__ import annotations

from typing import NamedTuple

import paddle

from workbench.targets.paddle.linalg.helpers.powers import torch_broken, torch_failing
from workbench.targets.paddle.tensors.helpers.grad import torch_flat
from workbench.targets.paddle.tensors.helpers.shapes import torch_conj


class TorchTriangular(NamedTuple):
    """A solution, and the coefficients it was found with."""

    solution: paddle.Tensor
    cloned_coefficient: paddle.Tensor


def torch_solve_equations(left: paddle.Tensor, right: paddle.Tensor) -> paddle.Tensor:
    """Solve linear equations; Paddle's gradient ends the process where one side has none."""
    if left.is_complex():  # Paddle solves real ones alone: both parts are one system of them
        real, imaginary = left.real(), left.imag()
        upper = paddle.concat([real, -imaginary], axis=-1)
        whole = paddle.concat([upper, paddle.concat([imaginary, real], axis=-1)], axis=-2)
        vector = right.ndim == 1
        columns = right.unsqueeze(-1) if vector else right
        parts = paddle.concat([columns.real(), columns.imag()], axis=-2)
        solved = torch_solve_equations(whole, parts)
        size = left.shape[-1]
        result = paddle.complex(solved[..., :size, :], solved[..., size:, :])
        return result.squeeze(-1) if vector else result
    broken = torch_broken(left.detach())
    if left.size and bool(broken.any()):
        whole = paddle.where(broken, paddle.eye(left.shape[-1], dtype=left.dtype), left)
        found = torch_solve_equations(whole, right)
        missing = broken.squeeze(-1) if found.ndim < broken.ndim else broken
        return paddle.where(missing, paddle.full_like(found, float("nan")), found)
    if left.stop_gradient != right.stop_gradient:
        left, right = (side.detach() if side.stop_gradient else side for side in (left, right))
        left.stop_gradient = right.stop_gradient = False
    with torch_failing("solve"):
        return paddle.linalg.solve(left, right)


def torch_solve(left: paddle.Tensor, right: paddle.Tensor, on_left: bool = True) -> paddle.Tensor:
    """Solve linear equations with the matrix on either side."""
    if not on_left:
        return torch_solve_equations(left.mT, right.mT).mT
    if right.ndim > 1 and list(right.shape) == list(left.shape[:-1]):
        return torch_solve_equations(left, right.unsqueeze(-1)).squeeze(-1)
    return torch_solve_equations(left, right)


def torch_solve_lower_or_upper(
    matrix: paddle.Tensor,
    right: paddle.Tensor,
    upper: bool = False,
    transpose: bool = False,
    unitriangular: bool = False,
) -> paddle.Tensor:
    """Solve equations with a triangular matrix.

    Paddle's gradient of the matrix is that of other memory where the right side has none.
    """
    if right.stop_gradient and not matrix.stop_gradient:
        right = right.detach()
        right.stop_gradient = False
    return paddle.linalg.triangular_solve(matrix, right, upper, transpose, unitriangular)


def torch_lu_solve(
    right: paddle.Tensor, factors: paddle.Tensor, pivots: paddle.Tensor
) -> paddle.Tensor:
    """Solve linear equations from the factors of their matrix."""
    if right.size == 0:  # Paddle's backward pass ends with an error
        batch = paddle.broadcast_shape(right.shape[:-2], factors.shape[:-2])
        nothing = paddle.zeros([*batch, *right.shape[-2:]], dtype=right.dtype)
        return torch_flat(nothing, right, factors)
    permutation, lower, upper = paddle.linalg.lu_unpack(factors, pivots)
    inner = torch_solve_lower_or_upper(
        lower, permutation.mT @ right, upper=False, unitriangular=True
    )
    return torch_solve_lower_or_upper(upper, inner, upper=True)


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


def torch_triangular_solve(
    right: paddle.Tensor,
    matrix: paddle.Tensor,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> TorchTriangular:
    """Solve equations with a triangular matrix."""
    found = torch_solve_lower_or_upper(matrix, right, upper, transpose, unitriangular)
    batch = list(found.shape[:-2])
    return TorchTriangular(found, matrix.expand([*batch, *matrix.shape[-2:]]).clone())


def torch_solve_triangular(
    matrix: paddle.Tensor,
    right: paddle.Tensor,
    upper: bool,
    left: bool = True,
    unitriangular: bool = False,
) -> paddle.Tensor:
    """Solve equations with a triangular matrix on either side, in that one's dtype."""
    right = right.astype(matrix.dtype)
    if unitriangular:  # Paddle's gradient would count the diagonal
        part = paddle.triu(matrix, 1) if upper else paddle.tril(matrix, -1)
        matrix = part + paddle.eye(matrix.shape[-1], dtype=matrix.dtype)
    if left:
        return torch_solve_lower_or_upper(matrix, right, upper)
    return torch_solve_lower_or_upper(matrix.mT, right.mT, not upper).mT
