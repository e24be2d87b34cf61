"""Derivatives of functions: Jacobians, Hessians and products with them, as torch gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import paddle

from workbench.targets.paddle.tensors.helpers.grad import torch_nested_grad


def torch_as_tuple(value: Any) -> tuple[Any, ...]:
    """Several tensors, or one, as a tuple."""
    return tuple(value) if isinstance(value, tuple | list) else (value,)


def torch_differentiable(inputs: Any, create_graph: bool) -> tuple[Any, ...]:
    """Inputs to differentiate by: copies apart from their graph, unless it is to be extended."""
    kept = []
    for tensor in torch_as_tuple(inputs):
        fresh = tensor * 1 if create_graph and not tensor.stop_gradient else tensor.detach()
        fresh.stop_gradient = False
        kept.append(fresh)
    return tuple(kept)


def torch_grads(
    outputs: Any, inputs: Any, weights: Any = None, create_graph: bool = False
) -> tuple[Any, ...]:
    """Gradients, zeros where an output does not depend on an input."""
    pairs = [
        (out, weight)
        for out, weight in zip(outputs, weights or [None] * len(outputs), strict=True)
        if not out.stop_gradient
    ]
    found: list[Any] = [None] * len(inputs)
    if pairs:
        found = torch_nested_grad(
            [out for out, _ in pairs],
            list(inputs),
            grad_outputs=[weight for _, weight in pairs],
            retain_graph=True,
            create_graph=create_graph,
            allow_unused=True,
        )
    return tuple(
        paddle.zeros_like(tensor).detach() if grad is None else grad
        for grad, tensor in zip(found, inputs, strict=True)
    )


def torch_settled(value: Any, create_graph: bool) -> Any:
    """The result, detached from the graph unless `create_graph` is true."""
    if create_graph:
        return value
    if isinstance(value, tuple):
        return tuple(torch_settled(item, create_graph) for item in value)
    return value.detach()


def torch_jacobian(func: Callable[..., Any], inputs: Any, create_graph: bool = False) -> Any:
    """`torch.autograd.functional.jacobian`: by output, then by input, where these are tuples."""
    with paddle.enable_grad():
        places = torch_differentiable(inputs, create_graph)
        outputs = func(*places)
        blocks = []
        for output in torch_as_tuple(outputs):
            rows = [
                torch_grads([part], places, None, create_graph) for part in output.reshape([-1])
            ]
            columns = zip(*rows, strict=True) if rows else [()] * len(places)
            blocks.append(
                tuple(
                    paddle.stack(column).reshape([*output.shape, *place.shape])
                    for column, place in zip(columns, places, strict=True)
                )
            )
    result = tuple(block if isinstance(inputs, tuple) else block[0] for block in blocks)
    return torch_settled(result if isinstance(outputs, tuple) else result[0], create_graph)


def torch_hessian(func: Callable[..., Any], inputs: Any, create_graph: bool = False) -> Any:
    """`torch.autograd.functional.hessian` of a function whose result is one number."""
    several = isinstance(inputs, tuple)

    def gradient(*places: Any) -> Any:
        return torch_jacobian(func, places if several else places[0], create_graph=True)

    return torch_jacobian(gradient, inputs, create_graph)


def torch_vjp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False
) -> tuple[Any, Any]:
    """`torch.autograd.functional.vjp`: the outputs, and a vector times the Jacobian."""
    with paddle.enable_grad():
        places = torch_differentiable(inputs, create_graph)
        outputs = func(*places)
        weights = None if v is None else list(torch_as_tuple(v))
        found = torch_grads(torch_as_tuple(outputs), places, weights, create_graph)
    result = found if isinstance(inputs, tuple) else found[0]
    return torch_settled(outputs, create_graph), torch_settled(result, create_graph)


def torch_jvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False
) -> tuple[Any, Any]:
    """`torch.autograd.functional.jvp`: the outputs, and the Jacobian times a vector.

    The product is linear in the weights of a gradient, hence a gradient by those weights.
    """
    with paddle.enable_grad():
        places = torch_differentiable(inputs, create_graph)
        outputs = func(*places)
        parts = torch_as_tuple(outputs)
        weights = [paddle.ones_like(part).detach() for part in parts]
        for weight in weights:
            weight.stop_gradient = False
        found = torch_grads(parts, places, weights, create_graph=True)
        vectors = [paddle.ones_like(p).detach() for p in places] if v is None else torch_as_tuple(v)
        # Some second derivatives of Paddle need the inputs' gradients asked for as well.
        products = torch_grads(found, [*weights, *places], list(vectors), create_graph)
        products = products[: len(weights)]
    result = products if isinstance(outputs, tuple) else products[0]
    return torch_settled(outputs, create_graph), torch_settled(result, create_graph)


def torch_hvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False
) -> tuple[Any, Any]:
    """`torch.autograd.functional.hvp` and `vhp`: the value, and the Hessian times a vector."""
    with paddle.enable_grad():
        places = torch_differentiable(inputs, create_graph)
        output = func(*places)
        slopes = torch_grads([output], places, None, create_graph=True)
        weights = None if v is None else list(torch_as_tuple(v))
        found = torch_grads(slopes, places, weights, create_graph)
    result = found if isinstance(inputs, tuple) else found[0]
    return torch_settled(output, create_graph), torch_settled(result, create_graph)
