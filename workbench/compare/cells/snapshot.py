"""A namespace as it was before a cell, for when the cell is interrupted half-way."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Collection, Iterator, MutableMapping
from typing import Any

import numpy as np
import torch
from torch.nn.modules.lazy import LazyModuleMixin

_MOST_BYTES = 2 << 30


class Snapshot:
    """Bindings, and copies of what the named values hold that code can change in place."""

    def __init__(self, namespace: MutableMapping[str, Any], names: Collection[str]) -> None:
        self._namespace = namespace
        self._bindings = dict(namespace)
        self._seen: set[int] = set()
        self._tensors: list[tuple[torch.Tensor, torch.Tensor, torch.Tensor | None, bool]] = []
        self._arrays: list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]] = []
        self._containers: list[tuple[Any, Any]] = []
        self._lazy: list[tuple[Any, type]] = []
        self._room = _MOST_BYTES
        self._rng = torch.get_rng_state(), np.random.get_state(), random.getstate()
        self.incomplete: list[str] = []
        for name in names:
            if name in namespace and not self._keep(namespace[name], 0):
                self.incomplete.append(name)

    def _keep(self, value: Any, depth: int) -> bool:
        if id(value) in self._seen or depth > 12:
            return True
        self._seen.add(id(value))
        if isinstance(value, torch.Tensor):
            return self._keep_tensor(value)
        if isinstance(value, np.ndarray):
            self._room -= value.nbytes
            if self._room < 0:
                return False
            self._arrays.append((value, value.copy()))
            return True
        if isinstance(value, list | dict | set | deque):
            self._containers.append((value, value.copy()))
            items = list(value.values()) if isinstance(value, dict) else list(value)
            return all(self._keep(item, depth + 1) for item in items)
        if isinstance(value, Iterator):
            return False  # it gives each value once
        if isinstance(value, tuple):
            return all(self._keep(item, depth + 1) for item in value)
        if isinstance(value, LazyModuleMixin):
            self._lazy.append((value, type(value)))
        state = getattr(value, "__dict__", None)
        if isinstance(state, dict) and not isinstance(value, type) and not callable_code(value):
            self._containers.append((state, state.copy()))
            return all(self._keep(item, depth + 1) for item in list(state.values()))
        return True

    def _keep_tensor(self, value: torch.Tensor) -> bool:
        if torch.nn.parameter.is_lazy(value):
            self._lazy.append((value, type(value)))
            return True
        self._room -= 2 * value.numel() * value.element_size()
        if self._room < 0 or value.layout is not torch.strided:
            return False
        grad = value.grad if value.is_leaf else None
        kept = None if grad is None else grad.detach().clone()
        self._tensors.append((value, value.detach().clone(), kept, value.requires_grad))
        return True

    def restore(self) -> None:
        """Put bindings and contents back."""
        for name in list(self._namespace):
            if name not in self._bindings:
                del self._namespace[name]
        self._namespace.update(self._bindings)
        for container, copy in self._containers:
            container.clear()
            container.extend(copy) if isinstance(container, list | deque) else container.update(
                copy
            )
        for array, old in self._arrays:
            array[...] = old
        for lazy, kind in self._lazy:
            if isinstance(lazy, torch.Tensor) and type(lazy) is not kind:
                lazy.data, lazy.grad = lazy.new_empty(0), None
            lazy.__class__ = kind
        with torch.no_grad():
            for tensor, kept, grad, trains in self._tensors:
                tensor.data.copy_(kept)
                if tensor.is_leaf:
                    tensor.grad = None if grad is None else grad.clone()
                    tensor.requires_grad_(trains)
        torch.set_rng_state(self._rng[0])
        np.random.set_state(self._rng[1])
        random.setstate(self._rng[2])


def take_over(held: Any, copy: Any) -> bool:
    """Give an object what a changed copy of it holds, for all who hold it; False if it cannot."""
    if type(held) is not type(copy):
        return False
    if isinstance(held, torch.nn.Module):
        ours = dict(held.named_parameters()) | dict(held.named_buffers())
        theirs = dict(copy.named_parameters()) | dict(copy.named_buffers())
        if ours.keys() != theirs.keys():
            return False
        held.train(copy.training)
        return all(take_over(ours[name], theirs[name]) for name in ours)
    if isinstance(held, torch.optim.Optimizer):
        held.load_state_dict(copy.state_dict())
        return True
    if isinstance(held, torch.Tensor):
        if held.shape != copy.shape or held.dtype != copy.dtype or not held.is_leaf:
            return False
        held.data.copy_(copy.data)
        held.grad = copy.grad
        return True
    if isinstance(held, list | dict | set | deque):
        held.clear()
        held.extend(copy) if isinstance(held, list | deque) else held.update(copy)
        return True
    return False


def callable_code(value: object) -> bool:
    """True for functions and modules of Python, whose attributes are no data of the cell."""
    import types

    return isinstance(value, types.FunctionType | types.MethodType | types.ModuleType)
