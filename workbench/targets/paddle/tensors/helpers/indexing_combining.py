"""Sums, products, means and extremes where an index says, with torch's gradients."""

from __future__ import annotations

from typing import Any

import paddle

from workbench.targets.paddle.math.helpers.reduction import torch_pick
from workbench.targets.paddle.tensors.helpers.indexing import torch_index


def torch_put_combined(
    tensor: paddle.Tensor,
    dim: int,
    index: paddle.Tensor,
    src: paddle.Tensor,
    reduce: str,
    include_self: bool = True,
) -> paddle.Tensor:
    """Values combined where an index of the same shape says."""
    mode = {"sum": "add", "prod": "mul"}.get(reduce, reduce)
    return paddle.put_along_axis(tensor, index, src, dim, mode, include_self, broadcast=False)


class TorchCombining(paddle.autograd.PyLayer):
    """`torch_put_combined`; Paddle's own gradients divide by zero, and count equal values once."""

    @staticmethod
    def forward(
        ctx: Any,
        tensor: paddle.Tensor,
        src: paddle.Tensor,
        index: paddle.Tensor,
        dim: int,
        reduce: str,
        include_self: bool,
    ) -> paddle.Tensor:
        """The result; what the gradients need is kept."""
        result = torch_put_combined(tensor, dim, index, src, reduce, include_self)
        ctx.save_for_backward(tensor, src, result)
        ctx.how = (index, dim, reduce, include_self)
        return result

    @staticmethod
    def backward(
        ctx: Any, grad: paddle.Tensor
    ) -> tuple[paddle.Tensor | None, paddle.Tensor | None]:
        """The gradients of the tensor and of what is combined with it."""
        tensor, src, result = ctx.saved_tensor()
        index, dim, reduce, include_self = ctx.how

        def picked(values: paddle.Tensor) -> paddle.Tensor:
            return torch_pick(values, index, dim)

        def added(values: paddle.Tensor, to: paddle.Tensor) -> paddle.Tensor:
            return torch_put_combined(to, dim, index, values, "sum")

        mine = theirs = grad
        if reduce == "prod":
            ones, zero = paddle.ones_like(tensor), src == 0
            other = paddle.where(tensor == 0, ones, tensor)
            mine = grad * torch_put_combined(other, dim, index, src, reduce, include_self) / other
            zeros = picked(added(zero.astype(src.dtype), paddle.zeros_like(tensor)))
            whole = paddle.where(zero, paddle.ones_like(src), src)
            without = paddle.where(zero & (zeros == 1), whole, src)
            without = torch_put_combined(tensor, dim, index, without, reduce, include_self)
            theirs = paddle.where(
                zero & (zeros == 1), picked(grad * without), picked(grad * result) / whole
            )
            theirs = paddle.where(zeros > 1, paddle.zeros_like(theirs), theirs)
        elif reduce == "mean":
            start = paddle.ones_like(grad) if include_self else paddle.zeros_like(grad)
            count = added(paddle.ones_like(src), start)
            mine = grad / paddle.where(count == 0, paddle.ones_like(count), count)
            theirs = picked(mine)
        elif reduce == "sum":
            theirs = picked(grad)
        else:
            first = (tensor == result).astype(grad.dtype)
            second = (src == picked(result)).astype(grad.dtype)
            share = grad / added(second, first)
            mine, theirs = first * share, second * picked(share)
        if not include_self:
            mine = paddle.put_along_axis(
                mine, index, paddle.zeros_like(src), dim, "assign", broadcast=False
            )
        # Paddle wants none for what has none.
        return None if tensor.stop_gradient else mine, None if src.stop_gradient else theirs


def torch_scatter_reduce(
    tensor: paddle.Tensor,
    dim: int,
    index: paddle.Tensor,
    src: paddle.Tensor,
    reduce: str,
    include_self: bool = True,
) -> paddle.Tensor:
    """Values combined where an index says."""
    if tensor.ndim == 0:
        flat, one = tensor.reshape([1]), index.reshape([-1])
        return torch_scatter_reduce(flat, 0, one, src.reshape([-1]), reduce, include_self)[0]
    if index.ndim == 0:
        index, src = index.reshape([1]), src.reshape([1])
    if index.size == 0:
        return tensor.clone()
    if tensor.dtype == paddle.bool:
        tensor, src = tensor.astype("int32"), src.astype("int32")
        whole = torch_scatter_reduce(tensor, dim, index, src, reduce, include_self)
        return whole.astype("bool")
    src = src[tuple(slice(0, size) for size in index.shape)]
    torch_index(index, tensor.shape[dim])
    if paddle.is_grad_enabled() and not (tensor.stop_gradient and src.stop_gradient):
        return TorchCombining.apply(tensor, src, index, dim, reduce, include_self)
    return torch_put_combined(tensor, dim, index, src, reduce, include_self)


def torch_index_reduce(
    tensor: paddle.Tensor,
    dim: int,
    index: paddle.Tensor,
    source: paddle.Tensor,
    reduce: str,
    include_self: bool = True,
) -> paddle.Tensor:
    """Slices combined along a dimension."""
    index = index.reshape([-1])
    if tensor.ndim == 0:
        return torch_scatter_reduce(tensor, dim, index, source, reduce, include_self)
    source = source if source.ndim else source.reshape([1])
    shape = [1] * tensor.ndim
    shape[dim] = index.shape[0]
    places = paddle.expand(index.reshape(shape), source.shape)
    return torch_scatter_reduce(tensor, dim, places, source, reduce, include_self)
