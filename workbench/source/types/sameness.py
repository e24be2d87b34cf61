"""Comparison of facts by all their fields, including those that `==` ignores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any

from workbench.source.types.lattice import UserClass, UserFunction, Value


def alike(one: object, other: object) -> bool:
    """Return whether two facts are equal in all their fields."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, list | tuple):
        assert isinstance(other, list | tuple)
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, dict):
        assert isinstance(other, dict)
        return list(one) == list(other) and all(map(alike, one.values(), other.values()))
    if isinstance(one, UserFunction):
        return one == other
    if isinstance(one, UserClass):
        assert isinstance(other, UserClass)
        return one == other and alike(one.bases, other.bases)
    if isinstance(one, Value):
        kind: Any = type(one)
        facts = facts_of(kind)
        return alike(facts(one), facts(other))
    if isinstance(one, frozenset):
        assert isinstance(other, frozenset)
        return len(one) == len(other) and all(any(alike(a, b) for b in other) for a in one)
    return one == other


@cache
def facts_of(of: Any) -> Callable[[object], object]:
    """Return a function that reads all fields of an object of a class, if it has any."""
    names = [one.name for one in fields(of)] if is_dataclass(of) else []
    return attrgetter(*names) if names else lambda _: None
