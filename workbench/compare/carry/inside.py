"""Reading of a live object's contents without running its code.

Objects may compute, load or grow when accessed: by `__getattr__`, properties, `__len__`, or their
own iteration. These functions read only what Python stores for them. Callers get a copy, since
another thread may modify it meanwhile.
"""

from __future__ import annotations

import types
from collections import OrderedDict, deque
from typing import Any

_CODE = (type, types.ModuleType, types.FunctionType, types.MethodType, types.BuiltinFunctionType)
_SERIES = (list, tuple, set, frozenset, deque)


def is_a(value: object, kinds: type | tuple[type, ...]) -> bool:
    """Return `isinstance` without asking the value, whose `__class__` may be computed."""
    return issubclass(type(value), kinds)


def is_code(value: object) -> bool:
    """Return whether a value is a function, a class or a module, whose attributes are not data."""
    return is_a(value, _CODE)


def mapping(value: dict[Any, Any]) -> list[tuple[Any, Any]]:
    """Return the items of a dictionary of any kind."""
    kind = OrderedDict if is_a(value, OrderedDict) else dict
    return list(kind.items(value))


def series(value: Any) -> list[Any] | None:
    """Return the items of a list, tuple, set or deque of any kind, or None for anything else."""
    for kind in _SERIES:
        if is_a(value, kind):
            return list(kind.__iter__(value))
    return None


def attributes(value: object) -> list[tuple[str, Any]]:
    """Return the attributes that an object stores, in its dictionary and in its slots."""
    return [] if is_code(value) else [*slots_of(value), *state(value).items()]


def slots_of(value: object) -> list[tuple[str, Any]]:
    """Return the attributes that an object stores in slots."""
    found = []
    for kind in type(value).__mro__:
        for name, slot in vars(kind).items():
            if type(slot) is types.MemberDescriptorType and slot.__objclass__ is kind:
                try:
                    found.append((name, slot.__get__(value)))
                except AttributeError:
                    continue
    return found


def state(value: object) -> dict[str, Any]:
    """Return a copy of an object's dictionary; empty if it has none."""
    held = held_state(value)
    return {} if held is None else held.copy()


def held_state(value: object) -> dict[str, Any] | None:
    """Return an object's own dictionary, or None if it has none."""
    try:
        held = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    return held if type(held) is dict else None
