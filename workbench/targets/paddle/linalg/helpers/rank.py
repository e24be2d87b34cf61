"""What hangs on singular values: ranks, pseudo-inverses and least squares."""

from __future__ import annotations

from typing import Any, NamedTuple

import paddle

from workbench.targets.paddle.tensors.helpers.grad import torch_flat
from workbench.targets.paddle.tensors.helpers.shapes import torch_conj


class TorchLstsq(NamedTuple):
    """A least squares solution and what is known of the equations."""

    solution: paddle.Tensor
    residuals: paddle.Tensor
    rank: paddle.Tensor
    singular_values: paddle.Tensor


def torch_singular_values(tensor: paddle.Tensor) -> paddle.Tensor:
    """Singular values; Paddle's `svdvals` drops dimensions of size one.

    Paddle's gradient of complex ones is another: each is what its vectors make of the matrix.
    """
    if not tensor.is_complex() or tensor.stop_gradient or tensor.size == 0:
        return paddle.linalg.svd(tensor, full_matrices=False)[1]
    left, _, right = paddle.linalg.svd(tensor.detach(), full_matrices=False)
    return (torch_conj(left) * (tensor @ torch_conj(right).mT)).sum(axis=-2).real()


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
    if tensor.size == 0:
        return paddle.zeros(tensor.shape[:-2], dtype="int64")
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
    """The pseudo-inverse; its gradient is that of its definition, for equal values too."""
    given = tensor.detach()
    if tensor.size == 0:
        return torch_flat(paddle.zeros_like(given).mT, tensor)
    if hermitian:  # the lower triangle counts alone, and the real part of the diagonal
        below, middle = paddle.tril(given, -1), paddle.tril(paddle.triu(given))
        middle = middle.real().astype(given.dtype) if given.is_complex() else middle
        given = below + middle + torch_conj(below).mT
    left, values, right = paddle.linalg.svd(given, full_matrices=False)
    keep = values > torch_tolerance(values, tensor, atol, rcond if rtol is None else rtol)
    values = values.expand(keep.shape)
    inverse = paddle.where(
        keep, 1 / paddle.where(keep, values, paddle.ones_like(values)), paddle.zeros_like(values)
    )
    found = (torch_conj(right).mT * inverse.unsqueeze(-2)) @ torch_conj(left).mT
    if tensor.stop_gradient or not paddle.is_grad_enabled():
        return found
    change = tensor - tensor.detach()
    turned = torch_conj(change).mT
    for _ in range(2):  # once for the gradient, once for the gradient of the gradient
        adjoint = torch_conj(found).mT
        rows, columns = (
            paddle.eye(size, dtype=found.dtype) - product
            for size, product in zip(
                tensor.shape[-2:], (tensor @ found, found @ tensor), strict=True
            )
        )
        found = (
            found.detach()
            - found @ change @ found
            + found @ adjoint @ turned @ rows
            + columns @ turned @ adjoint @ found
        )
    return found


def torch_lstsq(
    left: paddle.Tensor, right: paddle.Tensor, rcond: Any = None, driver: str | None = None
) -> TorchLstsq:
    """A least squares solution, for a matrix or a vector on the right; torch's drivers tell
    different things of it."""
    vector = right.ndim == left.ndim - 1 and right.shape == left.shape[:-1]
    if vector:
        right = right.unsqueeze(-1)
    if left.ndim == right.ndim > 2 and left.shape[:-2] != right.shape[:-2]:
        batch = paddle.broadcast_shape(left.shape[:-2], right.shape[:-2])
        left = left.expand([*batch, *left.shape[-2:]])
        right = right.expand([*batch, *right.shape[-2:]])
    rows, columns = left.shape[-2:]
    solution = torch_pinv(left, rtol=rcond) @ right
    values = torch_singular_values(left.detach())
    rank = torch_matrix_rank(left.detach(), rtol=rcond)
    if driver == "gels" and bool((rank < min(rows, columns)).any()):
        raise RuntimeError("torch.linalg.lstsq: the matrix does not have full rank")
    residuals = torch_flat(paddle.zeros([0], dtype=values.dtype), solution)
    if rows > columns and driver in {"gels", "gelsd", "gelss"} and bool((rank == columns).all()):
        residuals = ((left @ solution - right).abs() ** 2).sum(axis=-2)
    nothing = paddle.zeros([0], dtype="int64")
    return TorchLstsq(
        solution.squeeze(-1) if vector else solution,
        residuals,
        nothing if driver == "gels" else rank,
        values if driver in {"gelsd", "gelss"} else nothing.astype(values.dtype),
    )
