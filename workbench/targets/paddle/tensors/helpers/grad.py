"""Gradient modes and gradients as torch shows them."""

from __future__ import annotations

import inspect
import sys
from typing import Any

import paddle


def torch_no_grad(function: Any = None) -> Any:
    """`torch.no_grad` as a decorator without brackets, or handed on and called later."""
    return paddle.no_grad() if function is None else paddle.no_grad()(function)


def torch_enable_grad(function: Any = None) -> Any:
    """`torch.enable_grad` as a decorator without brackets, or handed on and called later."""
    return paddle.enable_grad() if function is None else paddle.enable_grad()(function)


def torch_inference_mode(mode: bool = True) -> Any:
    """Gradients off, or on, as `torch.inference_mode(mode)` has it."""
    return paddle.set_grad_enabled(paddle.is_grad_enabled() and not mode)


def torch_new_grad(tensor: paddle.Tensor, grad: Any) -> Any:
    """What becomes the gradient; whoever holds the old one keeps it, which Paddle would free."""
    if tensor.grad is not None:
        tensor.grad_ = paddle.zeros([1], dtype=tensor.dtype)
    return grad


def torch_grad(tensor: paddle.Tensor) -> paddle.Tensor | None:
    """The gradient, which itself does not ask for gradients, as in torch."""
    grad = tensor.grad
    if grad is not None:
        grad.stop_gradient = True
    return grad


def torch_hook(hook: Any) -> Any:
    """A hook that is given gradients as torch gives them: what is not recorded asks for none."""
    return lambda grad: hook(grad.detach() if grad.is_leaf else grad)


def torch_flat(value: paddle.Tensor, *sources: Any) -> paddle.Tensor:
    """A value that asks for gradients where what it was made of does; they are all zero."""
    for source in sources:
        if isinstance(source, paddle.Tensor) and not source.stop_gradient:
            nowhere = paddle.zeros_like(value, dtype="bool")
            value = paddle.where(nowhere, source.sum().astype(value.dtype), value)
    return value


def torch_nested_grad(*given: Any, **options: Any) -> Any:
    """`paddle.grad` in a backward pass; within another `paddle.grad` it would crash the process."""
    frame = sys._getframe().f_back
    while frame is not None:
        if frame.f_code is inspect.unwrap(paddle.grad).__code__:
            raise RuntimeError(
                "Paddle takes no gradient within another one: call `backward` for the outer one"
            )
        frame = frame.f_back
    return paddle.grad(*given, **options)


def torch_backward_into(
    inputs: Any,
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
) -> None:
    """`torch.autograd.backward` that adds to the gradients of some inputs alone."""
    leaves = [inputs] if isinstance(inputs, paddle.Tensor) else list(inputs)
    found = torch_nested_grad(
        tensors,
        leaves,
        grad_tensors,
        retain_graph=retain_graph,
        create_graph=create_graph,
        allow_unused=True,
    )
    for leaf, grad in zip(leaves, found, strict=True):
        if grad is not None:
            leaf.grad = grad if leaf.grad is None else leaf.grad + grad
