"""Gradients held against finite differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import paddle


def torch_in_tuple(values: Any) -> tuple[Any, ...]:
    """One value or several, as a tuple."""
    return tuple(values) if isinstance(values, list | tuple) else (values,)


def torch_checked_outputs(func: Callable[..., Any], given: Any) -> list[Any]:
    """The outputs of a function that have gradients."""
    values = torch_in_tuple(func(*given))
    return [v for v in values if isinstance(v, paddle.Tensor) and not v.stop_gradient]


def torch_slopes(func: Callable[..., Any], given: Any, place: int, eps: float) -> list[Any]:
    """How the outputs change with each element of one input, by central differences."""
    start, found = given[place].detach(), []

    def moved_to(values: Any) -> list[Any]:
        values.stop_gradient = False
        inputs = [*given[:place], values, *given[place + 1 :]]
        return [one.detach().flatten() for one in torch_checked_outputs(func, inputs)]

    for element in range(start.size):
        step = paddle.zeros([start.size], dtype=start.dtype)
        step[element] = eps
        step = step.reshape(start.shape)
        sides = moved_to(start + step), moved_to(start - step)
        found.append([(up - down) / (2 * eps) for up, down in zip(*sides, strict=True)])
    return [paddle.stack(rows) for rows in zip(*found, strict=True)]


def torch_gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """`torch.autograd.gradcheck`: whether gradients are what finite differences say."""
    given = torch_in_tuple(inputs)
    trained = [
        place
        for place, value in enumerate(given)
        if isinstance(value, paddle.Tensor) and not value.stop_gradient
    ]
    if not trained:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them"
            " have requires_grad=True."
        )
    tensors = [given[place] for place in trained]
    expected = [torch_slopes(func, given, place, eps) for place in trained]
    for number, output in enumerate(torch_checked_outputs(func, given)):
        rows = []
        for element in output.flatten():
            slopes = paddle.grad(element, tensors, retain_graph=True, allow_unused=True)
            pairs = zip(slopes, tensors, strict=True)
            rows.append([paddle.zeros_like(t) if s is None else s.detach() for s, t in pairs])
        for place, column in enumerate(zip(*rows, strict=True)):
            analytic = paddle.stack([slope.flatten() for slope in column], axis=-1)
            numeric = expected[place][number]
            if not bool(paddle.allclose(analytic, numeric, rtol=rtol, atol=atol)):
                if raise_exception:
                    raise RuntimeError(
                        f"Jacobian mismatch for output {number} with respect to input"
                        f" {trained[place]},\nnumerical:{numeric}\nanalytical:{analytic}"
                    )
                return False
    return True


def torch_gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """`torch.autograd.gradgradcheck`: the same of the gradients of gradients."""
    given = torch_in_tuple(inputs)
    if grad_outputs is None:
        grad_outputs = [paddle.randn(v.shape, v.dtype) for v in torch_in_tuple(func(*given))]
        for value in grad_outputs:
            value.stop_gradient = False
    weights = torch_in_tuple(grad_outputs)

    def slopes(*values: Any) -> tuple[Any, ...]:
        own, outer = values[: len(given)], values[len(given) :]
        trained = [v for v in own if isinstance(v, paddle.Tensor) and not v.stop_gradient]
        made = list(torch_in_tuple(func(*own)))
        return tuple(paddle.grad(made, trained, list(outer), create_graph=True, allow_unused=True))

    return torch_gradcheck(slopes, (*given, *weights), eps, atol, rtol, raise_exception)
