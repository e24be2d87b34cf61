"""One operation on each tensor of a list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import paddle

from workbench.targets.paddle.tensors.helpers.inplace import torch_into


def torch_foreach(
    function: Callable[..., paddle.Tensor],
    tensors: Sequence[paddle.Tensor],
    *others: Any,
    **options: Any,
) -> tuple[paddle.Tensor, ...]:
    """The function of each tensor and of the others' parts that belong to it.

    What is no list or tuple is the same for all of them.
    """
    count = len(tensors)
    columns = [list(o) if isinstance(o, (list, tuple)) else [o] * count for o in others]
    if any(len(column) != count for column in columns):
        raise RuntimeError("Tensor lists must have the same number of tensors")
    results = tuple(function(*row, **options) for row in zip(tensors, *columns, strict=True))
    given = [one for column in (tensors, *columns) for one in column]
    tracked = any(isinstance(one, paddle.Tensor) and not one.stop_gradient for one in given)
    for result in results if tracked and paddle.is_grad_enabled() else ():
        if result.stop_gradient and result.is_floating_point():
            result.stop_gradient = False  # what one of them asks for, torch gives all of them
    return results


def torch_foreach_(
    function: Callable[..., paddle.Tensor],
    tensors: Sequence[paddle.Tensor],
    *others: Any,
    **options: Any,
) -> Sequence[paddle.Tensor]:
    """The same, each result written over its tensor."""
    copies = [tensor.clone() for tensor in tensors]
    results = torch_foreach(function, copies, *others, **options)
    for tensor, result in zip(tensors, results, strict=True):
        torch_into(tensor, result)
    return tensors


def torch_copied(tensor: paddle.Tensor, source: paddle.Tensor) -> paddle.Tensor:
    """The source, in the dtype of the tensor that it is copied to."""
    return source.astype(tensor.dtype)
