"""Read the contents of a live object without running its code.

Objects may compute, load or grow when they are asked: by `__getattr__`, properties, `__len__`, or
an iteration of their own. What is read here is what Python keeps for them. Callers get a copy of
it, since another thread may add to it meanwhile.
"""

from __future__ import annotations

import types
from collections import OrderedDict, deque
from typing import Any

_CODE = (type, types.ModuleType, types.FunctionType, types.MethodType, types.BuiltinFunctionType)
_SERIES = (list, tuple, set, frozenset, deque)


def is_a(value: object, kinds: type | tuple[type, ...]) -> bool:
    """`isinstance` that does not ask the value, whose `__class__` may be computed."""
    return issubclass(type(value), kinds)


def is_code(value: object) -> bool:
    """Return whether a value is a function, a class or a module, whose attributes are not data."""
    return is_a(value, _CODE)


def mapping(value: dict[Any, Any]) -> list[tuple[Any, Any]]:
    """The items of a dictionary of any kind."""
    kind = OrderedDict if is_a(value, OrderedDict) else dict
    return list(kind.items(value))


def series(value: Any) -> list[Any] | None:
    """The items of a list, tuple, set or queue of any kind; None of anything else."""
    for kind in _SERIES:
        if is_a(value, kind):
            return list(kind.__iter__(value))
    return None


def attributes(value: object) -> list[tuple[str, Any]]:
    """The attributes that an object keeps, in its dictionary and in its slots."""
    if is_code(value):
        return []
    found = []
    for kind in type(value).__mro__:
        for name, slot in vars(kind).items():
            if type(slot) is types.MemberDescriptorType and slot.__objclass__ is kind:
                try:
                    found.append((name, slot.__get__(value)))
                except AttributeError:
                    continue
    return [*found, *state(value).items()]


def state(value: object) -> dict[str, Any]:
    """A copy of an object's dictionary; empty where it has none."""
    held = held_state(value)
    return {} if held is None else held.copy()


def held_state(value: object) -> dict[str, Any] | None:
    """An object's own dictionary; None where it has none."""
    try:
        held = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    return held if type(held) is dict else None
