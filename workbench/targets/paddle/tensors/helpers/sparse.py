"""Sparse tensors: what Paddle has no CPU kernel for goes through dense ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import paddle

from workbench.targets.paddle.tensors.helpers.rare_functions import torch_to_dense


def torch_sparse_coo(
    indices: Any,
    values: Any = None,
    size: Sequence[int] | None = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> paddle.Tensor:
    """A sparse tensor of coordinates and the values there; of a size alone, an empty one.

    Values at the same place are added up at once: Paddle would keep the last of them.
    """
    if values is None:
        whole = list(size or indices)
        return paddle.zeros(whole, dtype=dtype).to_sparse_coo(len(whole))
    if not isinstance(values, paddle.Tensor):
        values = paddle.to_tensor(values)
    values = values if dtype is None else values.astype(dtype)
    if requires_grad:
        values = values.detach()  # a leaf of its own
    shape = None if size is None else list(size)
    still = values.stop_gradient and not requires_grad  # Paddle writes it into the values
    tensor = paddle.sparse.sparse_coo_tensor(
        indices, values, shape, place=device, stop_gradient=still
    )
    single = paddle.sparse.coalesce(tensor)
    return tensor if single.nnz() == tensor.nnz() else single


def torch_coalesced(tensor: paddle.Tensor) -> paddle.Tensor:
    """`coalesce`; of an embedding's gradient, which is dense, the rows that are not zero."""
    if not tensor.is_dense():
        return paddle.sparse.coalesce(tensor)
    read = (tensor != 0).flatten(1).any(axis=1).nonzero().flatten()
    return paddle.sparse.sparse_coo_tensor(read.unsqueeze(0), tensor[read], tensor.shape)


def torch_sparse_csr(
    crow_indices: Any,
    col_indices: Any,
    values: Any,
    size: Sequence[int] | None = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> paddle.Tensor:
    """A sparse matrix of compressed rows; without a size, as small as its indices allow."""
    crows, cols = (
        each if isinstance(each, paddle.Tensor) else paddle.to_tensor(each, "int64")
        for each in (crow_indices, col_indices)
    )
    values = values if isinstance(values, paddle.Tensor) else paddle.to_tensor(values)
    values = values if dtype is None else values.astype(dtype)
    shape = [crows.shape[0] - 1, int(cols.max()) + 1] if size is None else list(size)
    return paddle.sparse.sparse_csr_tensor(
        crows, cols, values, shape, place=device, stop_gradient=not requires_grad
    )


def torch_sparse_mm(first: paddle.Tensor, second: paddle.Tensor) -> paddle.Tensor:
    """A matrix product; sparse where both factors are."""
    product = paddle.matmul(torch_to_dense(first), torch_to_dense(second))
    sparse = not first.is_dense() and not second.is_dense()
    return product.to_sparse_coo(2) if sparse else product


def torch_sparse_addmm(
    mat: paddle.Tensor, mat1: paddle.Tensor, mat2: paddle.Tensor, beta: Any = 1, alpha: Any = 1
) -> paddle.Tensor:
    """A matrix added to the product of a sparse one and a dense one."""
    return beta * mat + alpha * paddle.matmul(torch_to_dense(mat1), mat2)


def torch_sparse_sum(
    input: paddle.Tensor, dim: int | Sequence[int] | None = None, dtype: Any = None
) -> paddle.Tensor:
    """The sum over dimensions; over all of them a dense number."""
    dense = torch_to_dense(input)
    dense = dense if dtype is None else dense.astype(dtype)
    dims = range(dense.ndim) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    rest = dense.ndim - len(dims)
    total = dense.sum(axis=list(dims))
    return total.to_sparse_coo(rest) if rest else total


def torch_sparse_softmax(
    input: paddle.Tensor, dim: int, dtype: Any = None, log: bool = False
) -> paddle.Tensor:
    """The softmax of the values that are there, along one dimension."""
    input = paddle.sparse.coalesce(input)
    indices, values = input.indices(), input.values()
    values = values if dtype is None else values.astype(dtype)
    shape = list(input.shape)
    there = paddle.scatter_nd(indices.T, paddle.ones_like(values), shape) > 0
    dense = paddle.scatter_nd(indices.T, values, shape)
    dense = paddle.where(there, dense, paddle.full_like(dense, float("-inf")))
    soft = paddle.nn.functional.softmax(dense, axis=dim)
    values = paddle.gather_nd(paddle.log(soft) if log else soft, indices.T)
    return paddle.sparse.sparse_coo_tensor(indices, values, shape)


def torch_sparse_mask(tensor: paddle.Tensor, mask: paddle.Tensor) -> paddle.Tensor:
    """`Tensor.sparse_mask`: the values at the places of a sparse tensor."""
    indices = paddle.sparse.coalesce(mask).indices()
    values = paddle.gather_nd(torch_to_dense(tensor), indices.T)
    return paddle.sparse.sparse_coo_tensor(indices, values, list(mask.shape))


def torch_sparse_smm(input: paddle.Tensor, mat2: paddle.Tensor) -> paddle.Tensor:
    """`torch.smm`: a product with a dense matrix, sparse by rows."""
    product = paddle.matmul(torch_to_dense(input), mat2)
    rows = paddle.unique(paddle.sparse.coalesce(input).indices()[0])
    across, width = rows.shape[0], product.shape[1]
    indices = paddle.stack(
        [paddle.repeat_interleave(rows, width), paddle.tile(paddle.arange(width), [across])]
    )
    values = paddle.index_select(product, rows).flatten()
    return paddle.sparse.sparse_coo_tensor(indices, values, list(product.shape))


def torch_sparse_sspaddmm(
    input: paddle.Tensor, mat1: paddle.Tensor, mat2: paddle.Tensor, beta: Any = 1, alpha: Any = 1
) -> paddle.Tensor:
    """`torch.sspaddmm`: a sparse matrix plus the product of a sparse one and a dense one."""
    kept, product = paddle.sparse.coalesce(input), torch_sparse_smm(mat1, mat2)
    indices = paddle.concat([kept.indices(), product.indices()], axis=1)
    values = paddle.concat([kept.values() * beta, product.values() * alpha])
    return torch_sparse_coo(indices, values, list(input.shape))
