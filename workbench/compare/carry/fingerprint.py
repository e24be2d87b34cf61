"""Cheap evidence that a live value has changed: identity, versions, and samples of its numbers.

A tensor's version counter misses writes through `.data`, so that some of its numbers are looked at
too: all of a small tensor, evenly spread ones of a large one.
"""

from __future__ import annotations

import types
from collections import deque
from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np
import torch

from workbench.compare.carry.hooks import hooks_of
from workbench.compare.carry.iterators import has_place, taken_apart

_SAMPLES = 4096
_MOST_ITEMS = 10_000
_DEEPEST = 8
_CODE = (type, types.ModuleType, types.FunctionType, types.MethodType, types.BuiltinFunctionType)
_PLAIN = (type(None), bool, int, float, complex, str, bytes, torch.dtype, torch.device, torch.Size)


def fingerprint(value: object) -> object:
    """A comparable token; equal tokens mean that nothing was seen to change."""
    return _Reader().read(value)


class _Reader:
    """One walk over a value: shared parts are read once, and the work is bounded."""

    def __init__(self) -> None:
        self._seen: set[int] = set()

    def read(self, value: Any, depth: int = 0) -> object:
        """The token of one value."""
        if isinstance(value, _PLAIN):
            return (type(value), "nan" if value != value else value)
        if id(value) in self._seen or depth > _DEEPEST or len(self._seen) > _MOST_ITEMS:
            return id(value)
        self._seen.add(id(value))
        if isinstance(value, torch.Tensor):
            return _tensor(value)
        if isinstance(value, np.ndarray):
            return (id(value), value.shape, _bytes_of(value))
        if isinstance(value, torch.nn.Module):
            hooks = tuple(hook.key for hook in hooks_of(value))
            return (id(value), value.training, hooks, self._parts(_module_parts(value), depth))
        if isinstance(value, torch.Generator):
            return (id(value), hash(value.get_state().numpy().tobytes()))
        if has_place(value):
            _, arguments, place = taken_apart(value)
            return (id(value), place, self.read(arguments, depth + 1))
        if isinstance(value, torch.optim.Optimizer):
            parts = {"groups": value.param_groups, "state": value.state}
            return (id(value), self._parts(parts, depth))
        if isinstance(value, Mapping):
            return (id(value), self._parts(dict(value), depth))
        if isinstance(value, Sequence | Set | deque):
            if len(value) > _MOST_ITEMS:
                return (id(value), len(value))
            return (id(value), tuple(self.read(item, depth + 1) for item in value))
        state = getattr(value, "__dict__", None)
        if isinstance(state, dict) and not isinstance(value, _CODE):
            return (id(value), self._parts(state, depth))
        return id(value)

    def _parts(self, parts: dict[Any, Any], depth: int) -> object:
        if len(parts) > _MOST_ITEMS:
            return len(parts)
        return tuple((_key(key), self.read(item, depth + 1)) for key, item in parts.items())


def _key(key: object) -> object:
    return key if isinstance(key, str | int | float | bool) else id(key)


def _module_parts(module: torch.nn.Module) -> dict[str, Any]:
    parts: dict[str, Any] = dict(module._parameters) | dict(module._buffers) | dict(module._modules)
    plain = {k: v for k, v in vars(module).items() if not k.startswith("_") and k != "training"}
    return parts | plain


def _tensor(value: torch.Tensor) -> object:
    if torch.nn.parameter.is_lazy(value):
        return id(value)  # it has no size yet, and its class changes when it gets one
    grad = value.grad if value.is_leaf else None
    return (
        id(value),
        value._version if not value.is_inference() else 0,
        tuple(value.shape),
        value.requires_grad,
        _sample(value),
        None if grad is None else (id(grad), grad._version, _sample(grad)),
    )


def _sample(value: torch.Tensor) -> object:
    if value.layout is not torch.strided or not value.numel():
        return None
    flat = value.detach()
    flat = (
        flat.reshape(-1) if flat.is_contiguous() else flat[(slice(0, 64),) * flat.dim()].reshape(-1)
    )
    step = max(1, flat.numel() // _SAMPLES)
    picked = flat[::step].contiguous().cpu()
    return hash(picked.view(torch.uint8).numpy().tobytes())


def _bytes_of(value: np.ndarray[Any, Any]) -> object:
    if value.dtype == object:
        return None
    flat = value.reshape(-1) if value.flags.c_contiguous else value.ravel()
    return hash(flat[:: max(1, flat.size // _SAMPLES)].tobytes())
