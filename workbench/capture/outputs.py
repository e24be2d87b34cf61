"""Outputs that graphs cannot return, such as key-value caches, as dicts of their tensors."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import is_dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import torch
from torch.utils import _pytree as pytree

if TYPE_CHECKING:
    from collections.abc import Iterator

# In the error of torch.export for an output of an unknown class.
UNKNOWN = "in output, which is not a known type"


@contextmanager
def plain_outputs(module: torch.nn.Module) -> Iterator[set[str]]:
    """Make the module return plain containers while open; yield the names of converted classes."""
    original = module.forward
    own = vars(module).get("forward")
    found: set[str] = set()

    @wraps(original)
    def forward(*args: Any, **kwargs: Any) -> Any:
        return plain(original(*args, **kwargs), found)

    module.forward = forward
    try:
        yield found
    finally:
        del module.forward
        if own is not None:
            module.forward = own


def plain(value: Any, found: set[str] | None = None) -> Any:
    """Return an output with objects of unknown classes as dicts of their tensor attributes.

    A dataclass is unchanged: its author registers it with `torch.export.register_dataclass`.

    Args:
        value: the output of a model.
        found: receives the names of the converted classes.
    """

    def leaf(item: Any) -> Any:
        if isinstance(item, torch.Tensor) or is_dataclass(item) or not hasattr(item, "__dict__"):
            return item
        held = _held(item, set())
        if held is None:
            return item
        if found is not None:
            found.add(type(item).__name__)
        return held

    return pytree.tree_map(leaf, value)


def _held(value: Any, above: set[int]) -> Any:
    """Return the part of a value that holds tensors, in dicts and lists, or None."""
    if isinstance(value, torch.Tensor):
        return value
    if id(value) in above or isinstance(value, type):
        return None
    inside = above | {id(value)}
    if isinstance(value, (list, tuple)):
        items = [_held(item, inside) for item in value]
        return items if any(item is not None for item in items) else None
    named = value if isinstance(value, dict) else getattr(value, "__dict__", {})
    kept = {str(key): _held(item, inside) for key, item in named.items()}
    return {key: item for key, item in kept.items() if item is not None} or None
