"""Inverses, solutions and factors with what is told of matrices that have none."""

from __future__ import annotations

from typing import NamedTuple

import paddle

from workbench.targets.paddle.linalg.helpers.powers import torch_inverse
from workbench.targets.paddle.linalg.helpers.products import torch_lu
from workbench.targets.paddle.linalg.helpers.solving import torch_lu_solve, torch_solve


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


def torch_lu_ex(tensor: paddle.Tensor, pivot: bool = True, check_errors: bool = False) -> TorchLUex:
    """Both triangular factors in one matrix, the pivots, and which pivot is zero, if one is."""
    factors, pivots, info = torch_lu(tensor, pivot, get_infos=True)
    if check_errors and bool(info.any()):
        raise RuntimeError("torch.linalg.lu_factor_ex: a pivot is zero")
    return TorchLUex(factors, pivots, info.astype("int32").reshape(tensor.shape[:-2]))


def torch_inv_ex(tensor: paddle.Tensor, check_errors: bool = False) -> TorchInverse:
    """An inverse, and for each matrix 0 or which of its pivots is zero."""
    info = paddle.zeros(tensor.shape[:-2], dtype="int32")
    try:
        return TorchInverse(torch_inverse(tensor), info)
    except RuntimeError:
        if check_errors or tensor.is_complex():
            raise
    identity = paddle.eye(tensor.shape[-1], dtype=tensor.dtype).expand(tensor.shape)
    factors, pivots, info = torch_lu_ex(tensor)
    return TorchInverse(torch_lu_solve(identity, factors, pivots), info)


def torch_solve_ex(
    left: paddle.Tensor,
    right: paddle.Tensor,
    on_left: bool = True,
    check_errors: bool = False,
) -> TorchSolved:
    """A solution, and for each matrix 0 or which of its pivots is zero."""
    info = paddle.zeros(left.shape[:-2], dtype="int32")
    try:
        return TorchSolved(torch_solve(left, right, on_left), info)
    except RuntimeError:
        if check_errors or left.is_complex():
            raise
    factors, pivots, info = torch_lu_ex(left if on_left else left.mT)
    vector = right.ndim == 1 or (on_left and list(right.shape) == list(left.shape[:-1]))
    columns = right.unsqueeze(-1) if vector else right if on_left else right.mT
    solved = torch_lu_solve(columns, factors, pivots)
    return TorchSolved(solved.squeeze(-1) if vector else solved if on_left else solved.mT, info)
