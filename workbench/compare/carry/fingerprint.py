"""Cheap detection of changes of a live value: identity, versions, and sampled elements.

A tensor's version counter misses writes through `.data`, so elements are read too: all of a small
tensor, evenly spaced ones of a large one.
"""

from __future__ import annotations

import logging
import pickle
import random
import types
from typing import Any

import numpy as np
import torch

from workbench.compare.carry.hooks import hooks_of
from workbench.compare.carry.inside import attributes, is_a, is_code, mapping, series
from workbench.compare.carry.iterators import has_place, taken_apart
from workbench.compare.carry.own_modules import definitions, is_own
from workbench.compare.carry.versions import SAMPLES, counted, sample

_MOST_ITEMS = 10_000
_MOST_ROWS = 64
# Packages whose tables hold their values where no attribute shows them.
_TABLES = frozenset({"pandas", "polars"})
_DEEPEST = 60
_PLAIN: frozenset[type] = frozenset(
    {
        *(type(None), bool, int, float, complex, str, bytes, range),
        *(torch.dtype, torch.device, torch.Size),
    }
)
log = logging.getLogger(__name__)


def fingerprint(value: object) -> object:
    """Return a comparable token; equal tokens mean that no change was detected.

    A value that cannot be read has a token that equals no other.
    """
    try:
        with torch._C.DisableTorchFunctionSubclass():
            return _Reader().read(value)
    except Exception as error:
        log.debug("a %s could not be read", type(value).__name__, exc_info=error)
        return object()


class _Reader:
    """One traversal of a value: shared parts are read once, and the work is bounded."""

    def __init__(self) -> None:
        self._seen: set[int] = set()

    def read(self, value: Any, depth: int = 0) -> object:
        """Return the token of one value."""
        if type(value) in _PLAIN:
            return (type(value), "nan" if value != value else value)
        if is_a(value, np.generic):
            return (type(value), value.tobytes())
        if id(value) in self._seen or depth > _DEEPEST or len(self._seen) > _MOST_ITEMS:
            return id(value)
        self._seen.add(id(value))
        if is_a(value, torch.Tensor):
            return _tensor(value)
        if is_a(value, np.ndarray):
            return (id(value), value.shape, _bytes_of(value))
        if is_a(value, torch.nn.Module):
            hooks = tuple(hook.key for hook in hooks_of(value))
            return (id(value), value.training, hooks, self._parts(_module_parts(value), depth))
        if is_a(value, torch.Generator):
            return (id(value), hash(value.get_state().numpy().tobytes()))
        if is_a(value, np.random.RandomState):
            return (id(value), hash(pickle.dumps(value.get_state())))
        if is_a(value, np.random.Generator):
            return (id(value), repr(value.bit_generator.state))
        if is_a(value, random.Random):
            return (id(value), hash(random.Random.getstate(value)))
        if has_place(value):
            _, arguments, place = taken_apart(value)
            return (id(value), place, self.read(arguments, depth + 1))
        if is_a(value, torch.optim.Optimizer):
            parts = [("groups", value.param_groups), ("state", value.state)]
            return (id(value), self._parts(parts, depth))
        if is_a(value, types.ModuleType) and is_own(value):
            return (id(value), definitions(value))
        return id(value) if is_code(value) else (id(value), self._held(value, depth))

    def _held(self, value: Any, depth: int) -> object:
        """Return the token of the contents of a container or an object."""
        if is_a(value, dict):
            return (self._parts(mapping(value), depth), self._parts(attributes(value), depth))
        if type(value).__module__.partition(".")[0] in _TABLES and hasattr(value, "to_numpy"):
            return _table(value)
        items = series(value)
        if items is None:
            return self._parts(attributes(value), depth)
        if len(items) > _MOST_ITEMS:
            return len(items)
        return tuple(self.read(item, depth + 1) for item in items)

    def _parts(self, parts: list[tuple[Any, Any]], depth: int) -> object:
        if len(parts) > _MOST_ITEMS:
            return len(parts)
        return tuple((_key(key), self.read(item, depth + 1)) for key, item in parts)


def _key(key: object) -> object:
    return key if type(key) in (str, int, float, bool) else id(key)


def _module_parts(module: torch.nn.Module) -> list[tuple[str, Any]]:
    held = [*module._parameters.items(), *module._buffers.items(), *module._modules.items()]
    plain = [(k, v) for k, v in attributes(module) if not k.startswith("_") and k != "training"]
    return held + plain


def _tensor(value: torch.Tensor) -> object:
    if torch.nn.parameter.is_lazy(value):
        return id(value)  # it has no size yet, and its class changes when it gets one
    grad = value.grad if value.is_leaf else None
    return (
        id(value),
        counted(value),
        tuple(value.shape),
        value.requires_grad,
        sample(value),
        None if grad is None else (id(grad), counted(grad), sample(grad)),
    )


def _table(value: Any) -> object:
    """Return the token of a data frame, a column or an index, by evenly spaced rows."""
    rows = value[:: max(1, len(value) // _MOST_ROWS)].to_numpy()
    read = hash(tuple(map(str, rows.flat))) if rows.dtype == object else _bytes_of(rows)
    return (len(value), tuple(map(str, getattr(value, "columns", ()))), read)


def _bytes_of(value: np.ndarray[Any, Any]) -> object:
    if value.dtype == object:
        return None
    flat = value if value.flags.c_contiguous else value[(slice(0, 64),) * value.ndim]
    flat = flat.reshape(-1)
    return hash(flat[:: max(1, flat.size // SAMPLES)].tobytes())
