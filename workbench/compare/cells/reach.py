"""Names that running code can access: those it uses, and those that its functions use."""

from __future__ import annotations

import dis
import functools
import types
import warnings
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np
import torch

from workbench.compare.carry.inside import attributes, is_a, mapping, series
from workbench.compare.carry.iterators import has_place, taken_apart
from workbench.compare.carry.origin import NAMED, is_torch
from workbench.compare.carry.own_modules import module_behind, own_text

_ACTING = frozenset(
    {
        *("bokeh", "matplotlib", "plotly", "pylab", "seaborn"),
        *("concurrent", "multiprocessing", "subprocess", "threading"),
    }
)
_MOST = 2000
_DEEPEST = 8
_GLOBAL = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL"})
_EMPTY = types.CellType()  # of a function whose variable has no value yet


def reach(names: Collection[str], namespace: Mapping[str, Any]) -> set[str]:
    """Return the names, and the global names that functions and classes among their values use."""
    found: set[str] = set()
    waiting = [name for name in names if name in namespace]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        for code in _codes(namespace[name]):
            waiting += [used for used in _global_names(code) if used in namespace]
    return found


def uses_torch(names: Collection[str], namespace: Mapping[str, Any]) -> bool:
    """Return whether these names may give access to anything of torch."""
    return any(_holds_torch(namespace[name], set()) for name in reach(names, namespace))


def _holds_torch(value: Any, seen: set[int], depth: int = 0) -> bool:
    if id(value) in seen:
        return False
    seen.add(id(value))
    if len(seen) > _MOST or depth > _DEEPEST or is_a(value, types.GeneratorType):
        return True  # unknown
    if own_text(module_behind(value)) is not None:
        return True
    kind = value if is_a(value, type) else type(value)
    if any(is_torch(each) for each in kind.__mro__):
        return True
    if is_a(value, (*NAMED, types.ModuleType)) and is_torch(value):
        return True
    if is_a(value, types.FunctionType):
        cells = [cell.cell_contents for cell in value.__closure__ or () if cell != _EMPTY]
        held = [*cells, *(value.__defaults__ or ())]
    elif has_place(value):
        held = list(taken_apart(value)[1])
    elif is_a(value, dict):
        held = [item for _, item in mapping(value)]
    else:
        held = series(value) or [item for _, item in attributes(value)]
    return any(_holds_torch(each, seen, depth + 1) for each in held)


def acts(names: Collection[str], namespace: Mapping[str, Any]) -> bool:
    """Return whether a name is of a package that draws figures, or starts threads or processes."""
    return any(_package(namespace[name]) in _ACTING for name in names if name in namespace)


def _package(value: Any) -> str:
    items = series(value)
    if is_a(value, np.ndarray) and value.dtype == object:
        items = list(value.flat)
    if items:
        return _package(items[0])
    named = value if is_a(value, (type, types.FunctionType, types.ModuleType)) else type(value)
    module = named.__name__ if is_a(value, types.ModuleType) else named.__module__
    return str(module).partition(".")[0]


def called(source: str, namespace: Mapping[str, Any]) -> set[str]:
    """Return the last parts of all names in a source and in the functions that it reaches."""
    with warnings.catch_warnings(action="ignore"):  # torch's side shows them
        code = compile(source, "<cell>", "exec", dont_inherit=True)
    names = set(_names(code))
    for name in reach(names, namespace):
        for each in _codes(namespace[name]):
            names |= set(_names(each))
    return names


def _codes(value: Any) -> Iterator[types.CodeType]:
    """Yield the code of a value and of what it holds: functions, classes, hooks, closures."""
    seen: set[int] = set()
    waiting = [value]
    while waiting and len(seen) < _MOST:
        part = waiting.pop()
        if id(part) not in seen:
            seen.add(id(part))
            yield from _own_codes(part)
            waiting += _held(part)


def _own_codes(value: Any) -> Iterator[types.CodeType]:
    """Yield the code of a function or of a class."""
    if is_a(value, types.FunctionType):
        yield value.__code__
    elif is_a(value, type) and value.__module__ == "__main__":
        for part in vars(value).values():
            yield from _codes_of_part(value, part)


def _held(value: Any) -> list[Any]:
    """Return the parts of a value that may be or hold code."""
    if is_a(value, types.FunctionType):
        cells = [cell.cell_contents for cell in value.__closure__ or () if cell != _EMPTY]
        return [*cells, *(value.__defaults__ or ()), *vars(value).values()]
    if is_a(value, types.MethodType):
        return [value.__func__, value.__self__]
    if is_a(value, functools.partial):
        return [value.func, *value.args, *value.keywords.values()]
    if is_a(value, type):
        return [each for each in value.__bases__ if each.__module__ == "__main__"]
    if is_a(value, dict):
        return [item for _, item in mapping(value)]
    if (items := series(value)) is not None:
        return items
    if is_a(value, torch.Tensor) or not (
        type(value).__module__ == "__main__" or is_torch(type(value))
    ):
        return []
    return [type(value), *(item for _, item in attributes(value))]


def _codes_of_part(kind: type, part: Any) -> Iterator[types.CodeType]:
    """Yield the code of a class attribute; members of an enumeration belong to the class itself."""
    if is_a(part, (staticmethod, classmethod)):
        part = part.__func__
    if is_a(part, property):
        for function in (part.fget, part.fset):
            yield from _own_codes(function)
    elif is_a(part, types.FunctionType):
        yield part.__code__
    elif is_a(part, type) and part.__qualname__.startswith(f"{kind.__qualname__}."):
        yield from _own_codes(part)


@functools.lru_cache(maxsize=4096)
def _global_names(code: types.CodeType) -> frozenset[str]:
    """Return the global names that code uses, without those of attributes."""
    own = {each.argval for each in dis.get_instructions(code) if each.opname in _GLOBAL}
    inner = (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    return frozenset(own.union(*map(_global_names, inner)))


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)
