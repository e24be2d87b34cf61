"""Snapshot of a namespace before a cell, to restore it if the cell is interrupted or repeated."""

from __future__ import annotations

import logging
import random
import types
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Iterator, MutableMapping
from contextlib import suppress
from typing import Any

import numpy as np
import torch
from torch.nn.modules.lazy import LazyModuleMixin

from workbench.compare.carry.inside import (
    held_state,
    is_a,
    is_code,
    mapping,
    series,
    slots_of,
)
from workbench.compare.carry.origin import is_foreign
from workbench.compare.carry.sources import state_of_source

_MOST_BYTES = 2 << 30
# Values without attributes that never change, and only equal themselves.
_CONSTANT = (
    *(type(None), type(...), type(NotImplemented), np.ufunc, property, staticmethod, classmethod),
    *(torch.dtype, torch.layout, torch.memory_format),
    *(types.BuiltinFunctionType, types.MethodWrapperType, types.WrapperDescriptorType),
)
log = logging.getLogger(__name__)
# Library classes derived from these hold tensors, which can be restored.
_OF_TORCH = (torch.nn.Module, torch.optim.Optimizer, torch.utils.data.Dataset)
# Mutable containers; OrderedDict comes first because it has its own methods.
_CHANGEABLE: Any = (OrderedDict, dict, list, set, deque)


class Snapshot:
    """Bindings, and copies of mutable contents of the named values.

    Running code again from an earlier snapshot, `start`, cannot reach objects that were made since.
    What cannot be copied is then restored with its name.
    """

    def __init__(
        self,
        namespace: MutableMapping[str, Any],
        names: Collection[str],
        start: Snapshot | None = None,
    ) -> None:
        self._namespace = namespace
        self._start = start
        self._bindings = dict(namespace)
        self._seen: set[int] = set()
        self._tensors: list[tuple[torch.Tensor, torch.Tensor, torch.Tensor | None, bool]] = []
        self._arrays: list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]] = []
        self._containers: list[tuple[Any, Any]] = []
        self._slots: list[tuple[Any, list[tuple[str, Any]]]] = []
        self._sources: list[tuple[Callable[[Any], None], Any]] = []
        self._lazy: list[tuple[Any, type]] = []
        self._room = _MOST_BYTES
        self._rng = torch.get_rng_state(), np.random.get_state(), random.getstate()
        self.incomplete: list[str] = []
        for name in names:
            if name in namespace and not self._is_kept(namespace[name]):
                self.incomplete.append(name)

    def _is_kept(self, value: Any) -> bool:
        try:
            return self._keep(value)
        except Exception as error:
            log.debug("a %s cannot be restored", type(value).__name__, exc_info=error)
            return False

    def _keep(self, value: Any) -> bool:
        if id(value) in self._seen:
            return True
        self._seen.add(id(value))
        if is_a(value, torch.Tensor):
            return self._keep_tensor(value)
        if is_a(value, np.ndarray):
            self._room -= value.nbytes
            if self._room < 0:
                return self._is_new(value)
            self._arrays.append((value, value.copy()))
            return True
        if is_a(value, _CHANGEABLE):
            return self._keep_container(value)
        if (source := state_of_source(value)) is not None:
            self._sources.append(source)
            return True
        if is_a(value, Iterator):
            return self._is_new(value)  # it yields each value once
        if is_a(value, tuple):
            return all(self._keep(item) for item in series(value) or ())
        if is_foreign(value) and not is_a(value, _OF_TORCH):
            return self._is_new(value)  # a library's figure or table cannot be copied
        if is_a(value, LazyModuleMixin):
            self._lazy.append((value, type(value)))
        if is_code(value):
            return True
        return self._keep_object(value)

    def _is_new(self, value: Any) -> bool:
        """Return whether a value was made after the start."""
        return self._start is not None and id(value) not in self._start._seen

    def _keep_object(self, value: Any) -> bool:
        own = any("__slots__" in vars(kind) for kind in type(value).__mro__)
        held, slots = held_state(value), slots_of(value) if own else []
        if held is None and not slots:
            # An object of C code that only equals itself may change where nothing shows it.
            equals: object = type(value).__eq__
            constant = is_a(value, _CONSTANT) or equals is not object.__eq__
            return constant or self._is_new(value)
        if slots:
            self._slots.append((value, slots))
        kept = all(self._keep(item) for _, item in slots)
        return kept and (held is None or self._keep_container(held))

    def _keep_container(self, value: Any) -> bool:
        if is_a(value, dict):
            pairs = mapping(value)
            copy: Any = dict(pairs)
            items = [item for _, item in pairs]
        else:
            copy = items = series(value) or []
        self._containers.append((value, copy))
        return all(self._keep(item) for item in items)

    def _keep_tensor(self, value: torch.Tensor) -> bool:
        if torch.nn.parameter.is_lazy(value):
            self._lazy.append((value, type(value)))
            return True
        self._room -= 2 * value.numel() * value.element_size()
        if self._room < 0 or value.layout is not torch.strided:
            return self._is_new(value)
        grad = value.grad if value.is_leaf else None
        kept = None if grad is None else grad.detach().clone()
        self._tensors.append((value, _memory(value).clone(), kept, value.requires_grad))
        return True

    def restore(self) -> None:
        """Restore bindings and contents."""
        for name in list(self._namespace):
            if name not in self._bindings:
                del self._namespace[name]
        self._namespace.update(self._bindings)
        for container, copy in self._containers:
            kind = next(kind for kind in _CHANGEABLE if is_a(container, kind))
            kind.clear(container)
            add = kind.update if hasattr(kind, "update") else kind.extend
            add(container, copy)
        for value, slots in self._slots:
            for name, item in slots:
                with suppress(AttributeError):  # of a base class in C, which allows no change
                    object.__setattr__(value, name, item)
        for array, old in self._arrays:
            array[...] = old
        for set_state, state in self._sources:
            set_state(state)
        for lazy, kind in self._lazy:
            if isinstance(lazy, torch.Tensor) and type(lazy) is not kind:
                lazy.data, lazy.grad = lazy.new_empty(0), None
            lazy.__class__ = kind
        with torch.no_grad():
            for tensor, kept, grad, trains in self._tensors:
                _memory(tensor).copy_(kept)
                if tensor.is_leaf:
                    tensor.grad = None if grad is None else grad.clone()
                    tensor.requires_grad_(trains)
        torch.set_rng_state(self._rng[0])
        np.random.set_state(self._rng[1])
        random.setstate(self._rng[2])


def _memory(value: torch.Tensor) -> torch.Tensor:
    """Return a tensor's elements; those of an expanded one once, as no others can be written."""
    value = value.data
    places = [(n, step) for n, step in zip(value.shape, value.stride(), strict=True) if n > 1]
    if not value.numel() or all(step for _, step in places):
        return value
    return value.as_strided((1 + sum((n - 1) * step for n, step in places),), (1,))


def copy_contents(held: Any, copy: Any) -> bool:
    """Copy the contents of a changed copy into the original object; return False if impossible."""
    if type(held) is not type(copy):
        return False
    if isinstance(held, torch.nn.Module):
        ours = dict(held.named_parameters()) | dict(held.named_buffers())
        theirs = dict(copy.named_parameters()) | dict(copy.named_buffers())
        if ours.keys() != theirs.keys():
            return False
        held.train(copy.training)
        return all(copy_contents(ours[name], theirs[name]) for name in ours)
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
