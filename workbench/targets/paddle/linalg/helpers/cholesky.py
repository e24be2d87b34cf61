"""The Cholesky factor of a matrix, and what is found from it."""

from __future__ import annotations

from typing import NamedTuple

import paddle

from workbench.targets.paddle.linalg.helpers.powers import torch_failing
from workbench.targets.paddle.linalg.helpers.solving import (
    torch_solve_equations,
    torch_solve_lower_or_upper,
)
from workbench.targets.paddle.tensors.helpers.shapes import torch_conj


class TorchCholesky(NamedTuple):
    """A triangular factor, and whether it failed."""

    L: paddle.Tensor
    info: paddle.Tensor


def torch_cholesky(tensor: paddle.Tensor, upper: bool = False) -> paddle.Tensor:
    """The Cholesky factor, of complex matrices too."""
    if tensor.size == 0:
        return tensor.clone()
    if not tensor.is_complex():
        with torch_failing("cholesky"):
            return paddle.linalg.cholesky(tensor, upper)
    columns: list[paddle.Tensor] = []
    for k in range(tensor.shape[-1]):
        column = tensor[..., k:, k]
        for done in columns:
            column = column - done[..., k:] * torch_conj(done[..., k : k + 1])
        pivot = column[..., :1].real()  # its imaginary part is not looked at
        column = paddle.concat([pivot.astype(column.dtype), column[..., 1:]], axis=-1)
        column = column / pivot.sqrt()
        columns.append(paddle.concat([paddle.zeros_like(tensor[..., :k, k]), column], axis=-1))
    factor = paddle.stack(columns, axis=-1)
    return torch_conj(factor).mT if upper else factor


def torch_cholesky_ex(
    tensor: paddle.Tensor, upper: bool = False, check_errors: bool = False
) -> TorchCholesky:
    """A triangular factor, and for each matrix 0 or which of its leading parts has none."""
    info = paddle.zeros(tensor.shape[:-2], dtype="int32")
    try:
        return TorchCholesky(torch_cholesky(tensor, upper), info)
    except RuntimeError:
        if check_errors:
            raise
    matrices = tensor.reshape([-1, *tensor.shape[-2:]])
    found = [torch_partial_cholesky(matrix) for matrix in matrices]
    factor = paddle.stack([part for part, _ in found]).reshape(tensor.shape)
    info = paddle.to_tensor([failed for _, failed in found], dtype="int32").reshape(info.shape)
    return TorchCholesky(factor.mT if upper else factor, info)


def torch_partial_cholesky(matrix: paddle.Tensor) -> tuple[paddle.Tensor, int]:
    """The factor as far as there is one, and which leading part has none: what LAPACK leaves."""
    work = paddle.tril(matrix).clone()
    for k in range(matrix.shape[-1]):
        done = work[k, :k]
        pivot = work[k, k] - (done * done).sum()
        work[k, k] = pivot
        if not bool(pivot > 0):
            return work, k + 1
        root = pivot.sqrt()
        below = (work[k + 1 :, k] - (work[k + 1 :, :k] * done).sum(axis=-1)) / root
        work[k, k], work[k + 1 :, k] = root, below
    return work, 0


def torch_cholesky_solve(
    right: paddle.Tensor, factor: paddle.Tensor, upper: bool = False
) -> paddle.Tensor:
    """Solve equations from the Cholesky factor of their matrix: one triangle of what is given."""
    # Paddle's own ends the process where gradients of it are asked for.
    whole = torch_conj(factor).mT if upper else factor
    lower = paddle.tril(whole)
    if not factor.stop_gradient:  # torch's gradient is that of a matrix all of which counts
        lower = lower.detach() + (whole - whole.detach())
        return torch_solve_equations(lower @ torch_conj(lower).mT, right)
    inner = torch_solve_lower_or_upper(lower, right, upper=False)
    return torch_solve_lower_or_upper(torch_conj(lower).mT, inner, upper=True)


def torch_cholesky_inverse(factor: paddle.Tensor, upper: bool = False) -> paddle.Tensor:
    """The inverse of the matrix with this Cholesky factor."""
    if factor.size == 0:  # Paddle's backward pass of it ends with an error
        return factor.clone()
    identity = paddle.eye(factor.shape[-1]).astype(factor.dtype)
    found = torch_cholesky_solve(identity, factor.detach(), upper)
    if factor.stop_gradient or not paddle.is_grad_enabled():
        return found
    # torch's gradient is that of a matrix all of which counts, whatever its other triangle holds.
    change, adjoint = factor - factor.detach(), torch_conj(factor).mT
    part = adjoint @ change if upper else change @ adjoint
    for _ in range(2):  # once for the gradient, once for the gradient of the gradient
        found = found.detach() - found @ (part + torch_conj(part).mT) @ found
    return found
