"""Tensors in the arguments and results of models."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import torch


def tensors_in(value: Any, is_tensor: Callable[[Any], bool], name: str = "") -> Iterator[
    tuple[str, Any]
]:  # fmt: skip
    """Yield every tensor in nested lists, tuples, mappings and data classes, with its path."""
    if is_tensor(value):
        yield name, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from tensors_in(item, is_tensor, f"{name}[{key!r}]")
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value):
            yield from tensors_in(item, is_tensor, f"{name}[{number}]")
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from tensors_in(getattr(value, field.name), is_tensor, f"{name}.{field.name}")


def each(value: Any, change: Callable[[torch.Tensor], Any]) -> Any:
    """Apply a function to every tensor in nested lists, tuples and mappings; return a copy."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, Mapping):
        return {key: each(item, change) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(each(item, change) for item in value))
    if isinstance(value, list | tuple):
        return type(value)(each(item, change) for item in value)
    return value


def widened(value: Any, dtype: torch.dtype) -> Any:
    """Return a value with all its floating-point and complex tensors in a precision."""
    return each(value, partial(in_precision, dtype=dtype))


def in_precision(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return a float tensor in a dtype, and a complex one in the matching complex dtype."""
    if tensor.is_complex():
        return tensor.to(dtype.to_complex())
    return tensor.to(dtype) if tensor.is_floating_point() else tensor


@dataclasses.dataclass(frozen=True)
class Size:
    """Another size of one dimension: of the batch, or of a sequence."""

    axis: int
    count: int

    def __str__(self) -> str:
        return f"batch of {self.count}" if self.axis == 0 else f"length of {self.count}"


def resized(value: Any, size: Size) -> Any:
    """Return a value with another size: tensors as long as the first one are cut or repeated."""
    tensors = [t for _, t in tensors_in(value, lambda v: isinstance(v, torch.Tensor))]
    first = next((t.shape[size.axis] for t in tensors if t.dim() > size.axis), 0)

    def change(tensor: torch.Tensor) -> torch.Tensor:
        if tensor.dim() <= size.axis or tensor.shape[size.axis] != first or not first:
            return tensor
        return tensor.index_select(size.axis, torch.arange(size.count) % first)

    return each(value, change)


def nudged(value: Any, generator: torch.Generator, by: float, *, masks: bool = True) -> Any:
    """Return a value with every float moved by about one rounding, of relative size `by`.

    Without `masks`, float tensors that hold only integers stay unchanged: the ones of a mask are
    exact, and if they are multiplied by a huge number, one rounding would explain any difference.
    """

    def move(tensor: torch.Tensor) -> torch.Tensor:
        if not tensor.is_floating_point() or not (masks or bool((tensor != tensor.round()).any())):
            return tensor
        signs = torch.randint(0, 2, tensor.shape, generator=generator, dtype=torch.int8) * 2 - 1
        return tensor * (1 + by * signs.to(tensor.dtype))

    return each(value, move)
