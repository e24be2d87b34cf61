"""Outputs that no graph returns, such as a cache of keys and values: as dicts of their tensors."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import is_dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import torch
from torch.utils import _pytree as pytree

if TYPE_CHECKING:
    from collections.abc import Iterator

# What torch.export raises for an output of a class that it does not know.
UNKNOWN = "in output, which is not a known type"


@contextmanager
def plain_outputs(module: torch.nn.Module) -> Iterator[set[str]]:
    """While open, the module returns plain containers; yields the names of what was made plain."""
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
    """An output whose objects of unknown classes are dicts of the attributes that hold tensors.

    A dataclass stays what it is: its own author says by `torch.export.register_dataclass` how it
    crosses the border of a graph.

    Args:
        value: what a model returned.
        found: takes the names of the classes that were made plain.
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
    """The part of a value that holds tensors, in dicts and lists; None where nothing does."""
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
