"""Conversions between torch and Paddle tensors through DLPack, with copies for writable tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import paddle
import torch
import torch.utils.dlpack

from workbench.targets.bridge import CarryError

# Names that are missing in Paddle's type information.
_paddle: Any = paddle


def to_paddle(value: torch.Tensor) -> paddle.Tensor:
    """Return a copy of the value as a Paddle tensor on Paddle's current device."""
    if value.layout is not torch.strided or value.is_quantized:
        raise CarryError(f"a {value.layout} tensor has no counterpart that it can be converted to")
    plain = value.detach().resolve_conj().resolve_neg()
    try:
        shared: Any = _paddle.from_dlpack(plain)
    except Exception as error:
        raise CarryError(f"DLPack cannot pass a {value.dtype} tensor: {error}") from error
    place = _paddle.framework._current_expected_place()
    copy: paddle.Tensor = shared.clone()
    return copy if shared.place._equals(place) else shared.to(place)


def to_torch(value: paddle.Tensor) -> torch.Tensor:
    """Return a torch view of a Paddle tensor's value."""
    return torch.utils.dlpack.from_dlpack(value.detach())


def carry(value: torch.Tensor) -> paddle.Tensor:
    """Return a Paddle tensor with value, gradient and trainability; a parameter for a parameter."""
    copy = to_paddle(value)
    result: paddle.Tensor
    if isinstance(value, torch.nn.Parameter):
        result = paddle.nn.Parameter(copy, requires_grad=value.requires_grad)
    else:
        copy.stop_gradient = not value.requires_grad
        result = copy
    if value.is_leaf and value.grad is not None:
        write_gradient(result, value.grad)
    return result


def write(into: paddle.Tensor, value: torch.Tensor) -> None:
    """Set a Paddle tensor's value; raise CarryError if dtype or shape differ."""
    copy = to_paddle(value)
    if tuple(into.shape) != tuple(copy.shape) or into.dtype != copy.dtype:
        raise CarryError(
            f"torch has {tuple(value.shape)} {str(value.dtype).removeprefix('torch.')}, "
            f"Paddle {tuple(into.shape)} {str(into.dtype).removeprefix('paddle.')}"
        )
    with paddle.no_grad():
        into.set_value(copy)


def gradient(value: paddle.Tensor) -> torch.Tensor | None:
    """Return the gradient of a Paddle tensor, or None."""
    grad = value.grad
    return None if grad is None else to_torch(grad)


def reaches(value: paddle.Tensor, leaves: Sequence[paddle.Tensor]) -> bool:
    """Return whether a gradient of a tensor may reach one of these leaves."""
    asking = [leaf for leaf in leaves if not leaf.stop_gradient]
    if not asking:
        return False
    try:
        found = paddle.grad([value.sum()], asking, retain_graph=True, allow_unused=True)
    except (RuntimeError, ValueError):  # a backward pass has released what it needs
        return True
    return any(each is not None for each in found)


def write_gradient(into: paddle.Tensor, value: torch.Tensor | None) -> None:
    """Set or clear the gradient of a Paddle tensor."""
    if value is not None:
        into.grad = to_paddle(value)
    elif into.grad is not None:
        into.clear_gradient(set_to_zero=False)


def is_dtype(value: object) -> bool:
    """Return whether a value is a Paddle dtype."""
    return isinstance(value, paddle.dtype)


def dtype(value: torch.dtype) -> Any:
    """Return Paddle's dtype of the same name."""
    found = getattr(paddle, str(value).removeprefix("torch."), None)
    if not is_dtype(found):
        raise CarryError(f"Paddle has no dtype {str(value).removeprefix('torch.')}")
    return found
