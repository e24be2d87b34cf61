"""Writing results into tensors that exist: `out=` and in-place forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import paddle

from workbench.targets.paddle.tensors.helpers.grad import torch_flat


def torch_into(target: paddle.Tensor, value: Any) -> paddle.Tensor:
    """Write a value into a tensor in place, with torch's casting and broadcasting."""
    if not isinstance(value, paddle.Tensor):
        value = paddle.full(target.shape, value, dtype=target.dtype)
    if value.dtype != target.dtype:
        value = value.astype(target.dtype)
    if value.ndim > target.ndim or value.size > target.size:  # torch lets addbmm_ grow a tensor
        paddle.assign(value, target)
        return target
    if list(value.shape) != list(target.shape):
        value = paddle.expand(value, target.shape)
    if paddle.is_grad_enabled() and not target.stop_gradient:
        # `assign` lets gradients through to the values that were there; and what is written is kept
        # for the backward pass, which a later change of the tensor that it is a part of would end.
        target[... if target.ndim else paddle.to_tensor(True)] = value.clone()
    else:
        paddle.assign(value, target)
    return target


def torch_filled(tensor: paddle.Tensor, value: Any) -> paddle.Tensor:
    """A tensor of the same shape and dtype, full of one value."""
    return torch_flat(torch_into(tensor.detach().clone(), value), tensor)


def torch_inplace(
    function: Callable[..., Any], tensor: paddle.Tensor, *args: Any, **kwargs: Any
) -> paddle.Tensor:
    """Replace a tensor's values by what a function makes of them, and return the tensor."""
    recorded = paddle.is_grad_enabled() and any(
        isinstance(one, paddle.Tensor) and not one.stop_gradient
        for one in (tensor, *args, *kwargs.values())
    )
    source = tensor.clone() if recorded else tensor  # the backward pass needs the old values
    return torch_into(tensor, function(source, *args, **kwargs))


def torch_out(value: Any, out: Any) -> Any:
    """Write results into the tensors given as torch's `out=`, which take the results' shape."""
    if out is None:
        return value
    if isinstance(out, paddle.Tensor):
        paddle.assign(value.astype(out.dtype), out)
        return out
    for source, target in zip(value, out, strict=True):
        paddle.assign(source.astype(target.dtype), target)
    return type(value)(*out) if hasattr(value, "_fields") else tuple(out)


def torch_into_each(values: Any, out: Any) -> None:
    """Write results into the tensors given as torch's `out=`, of a function that returns none."""
    for value, target in zip(values, out, strict=True):
        paddle.assign(value.detach().astype(target.dtype), target)


def torch_fill_diagonal_(
    tensor: paddle.Tensor, fill_value: Any, wrap: bool = False
) -> paddle.Tensor:
    """`Tensor.fill_diagonal_`, also of short integers, for which a CPU has no kernel."""
    if tensor.dtype in (paddle.int8, paddle.uint8, paddle.int16, paddle.bfloat16):
        wide = paddle.float32 if tensor.dtype == paddle.bfloat16 else paddle.int32
        return torch_into(tensor, tensor.astype(wide).fill_diagonal_(fill_value, wrap=wrap))
    return tensor.fill_diagonal_(fill_value, wrap=wrap)
