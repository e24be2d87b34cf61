"""Orthogonal matrices as products of reflections."""

from __future__ import annotations

from typing import NamedTuple

import paddle

from workbench.targets.paddle.tensors.helpers.grad import torch_flat
from workbench.targets.paddle.tensors.helpers.shapes import torch_conj


def torch_householder_product(vectors: paddle.Tensor, tau: paddle.Tensor) -> paddle.Tensor:
    """The first columns of a product of reflections; Paddle's own writes into its argument."""
    rows, columns = vectors.shape[-2:]
    result = paddle.eye(rows, columns, dtype=vectors.dtype)
    result = paddle.expand(result, [*vectors.shape[:-2], rows, columns])
    result = torch_flat(result, vectors, tau) if tau.shape[-1] == 0 else result
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
    if 0 in (*other.shape, *tau.shape):  # Paddle's backward pass ends with an error
        return torch_flat(other.clone(), vectors, tau)
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
        size = paddle.sqrt((column.abs() ** 2).sum(axis=-1))
        still = (tail.abs() ** 2).sum(axis=-1) == 0
        real = head
        if head.is_complex():
            real, still = head.real(), still & (head.imag() == 0)
        first = paddle.where(real >= 0, -size, size).astype(head.dtype)
        first = paddle.where(still, head, first)
        safe = paddle.where(still, paddle.ones_like(head), head - first)
        factor = paddle.where(still, paddle.zeros_like(head), (first - head) / first)
        below = tail / safe.unsqueeze(-1)
        vector = paddle.concat([paddle.ones_like(head).unsqueeze(-1), below], axis=-1).unsqueeze(-1)
        rest = work[..., k:, k + 1 :]
        inner = (torch_conj(vector) * rest).sum(axis=-2, keepdim=True)
        rest = rest - torch_conj(factor).unsqueeze(-1).unsqueeze(-1) * vector * inner
        done = paddle.concat([first.unsqueeze(-1), below], axis=-1).unsqueeze(-1)
        block = paddle.concat([work[..., k:, :k], done, rest], axis=-1)
        work = paddle.concat([work[..., :k, :], block], axis=-2)
        factors.append(factor)
    if not factors:
        return TorchReflections(work, paddle.zeros([*tensor.shape[:-2], 0], dtype=tensor.dtype))
    return TorchReflections(work, paddle.stack(factors, axis=-1))
