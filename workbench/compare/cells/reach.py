"""What running code can get at: the names it uses, and those that its functions use."""

from __future__ import annotations

import types
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from workbench.compare.carry.inside import is_a


def reach(names: Collection[str], namespace: Mapping[str, Any]) -> set[str]:
    """The names, with the global names that functions and classes among their values use."""
    found: set[str] = set()
    waiting = [name for name in names if name in namespace]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        for code in _codes(namespace[name]):
            waiting += [used for used in _names(code) if used in namespace]
    return found


def called(source: str, namespace: Mapping[str, Any]) -> set[str]:
    """The last parts of all names in a source and in the functions and classes that it reaches."""
    code = compile(source, "<cell>", "exec", dont_inherit=True)
    names = set(_names(code))
    for name in reach(names, namespace):
        for each in _codes(namespace[name]):
            names |= set(_names(each))
    return names


def _codes(value: Any) -> Iterator[types.CodeType]:
    """The code of a function, of a class, or of an object's class, where Python has it."""
    if is_a(value, types.FunctionType):
        yield value.__code__
    elif is_a(value, types.MethodType):
        yield from _codes(value.__func__)
    elif is_a(value, type):
        if value.__module__ == "__main__":
            for part in vars(value).values():
                yield from _codes(getattr(part, "__func__", part))
    elif type(value).__module__ == "__main__":
        yield from _codes(type(value))


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)
