"""Facts that are the same in all that they tell, not only in what `==` looks at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any

from workbench.source.types.lattice import UserClass, UserFunction, Value


def alike(one: object, other: object) -> bool:
    """Whether two facts are the same in all that they tell."""
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
    """Gives all that an object of a class tells; of some classes there is nothing to tell."""
    names = [one.name for one in fields(of)] if is_dataclass(of) else []
    return attrgetter(*names) if names else lambda _: None
