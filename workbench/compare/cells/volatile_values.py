"""Values that differ between any two runs: clock readings and addresses of objects."""

from __future__ import annotations

import ast
import builtins
import datetime
import time
import timeit
import types
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from workbench.compare.carry.origin import definition
from workbench.targets.bridge import CarryError

_CLOCKS: tuple[Any, ...] = (
    time.time,
    time.time_ns,
    time.perf_counter,
    time.perf_counter_ns,
    time.monotonic,
    time.process_time,
    timeit.default_timer,
    time.ctime,
    time.strftime,
    datetime.datetime.now,
    datetime.datetime.today,
    builtins.id,
)
_MODULES = (time, timeit, datetime, datetime.datetime)


def reads_clock(names: Iterable[str], namespace: Mapping[str, Any]) -> bool:
    """Return whether code that uses these names may read a clock."""
    held = [namespace.get(name) for name in names]
    return any(any(value is each for each in (*_CLOCKS, *_MODULES)) for value in held)


def readings(
    statements: Sequence[ast.stmt], namespace: Mapping[str, Any], known: Collection[str]
) -> set[str]:
    """Return the names to which statements assign a reading; `known` already hold one."""
    found = set(known)
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Assign):
                targets, value = node.targets, node.value
            elif isinstance(node, ast.AugAssign | ast.AnnAssign) and node.value is not None:
                targets, value = [node.target], node.value
            elif isinstance(node, ast.Call) and _adds(node):
                assert isinstance(node.func, ast.Attribute)
                targets, value = [node.func.value], node.args[0]
            else:
                continue
            if _is_reading(value, namespace, found):
                found |= {name for target in targets for name in _stored(target)}
    return found - set(known)


def keeps_reading(path: str, namespace: Mapping[str, Any]) -> bool:
    """Return whether a path such as `timer.times[0]` is an attribute that stores readings."""
    root, *parts = path.partition("[")[0].split(".")
    held = namespace.get(root)
    for part in parts:
        if part in _kept(type(held)):
            return True
        held = getattr(held, part, None)
    return False


def _kept(kind: type) -> set[str]:
    """Return a user class's attributes that store readings and methods that return one."""
    methods = [each for each in vars(kind).values() if isinstance(each, types.FunctionType)]
    uses = (each.__globals__.get(name) for each in methods for name in each.__code__.co_names)
    if not any(value is each for value in uses for each in (*_CLOCKS, *_MODULES)):
        return set()
    try:
        tree = ast.parse(definition(kind).source)
    except (CarryError, SyntaxError):
        return set()
    found: set[str] = set()
    while True:
        known = len(found)
        for method in ast.walk(tree):
            if isinstance(method, ast.FunctionDef):
                found |= _given(method, methods[0].__globals__, found)
        if len(found) == known:
            return found


def _given(method: ast.FunctionDef, names: Mapping[str, Any], known: set[str]) -> set[str]:
    """Return the attributes to which a method assigns a reading, and its own name if it returns
    one.
    """
    found: set[str] = set()
    local: set[str] = set()
    for node in ast.walk(method):
        value = getattr(node, "value", None)
        if isinstance(node, ast.Call) and _adds(node):
            assert isinstance(node.func, ast.Attribute)
            targets, value = [node.func.value], node.args[0]
        elif isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AugAssign | ast.AnnAssign):
            targets = [node.target]
        elif isinstance(node, ast.Return):
            targets = []
        else:
            continue
        if not isinstance(value, ast.expr) or not _holds_reading(value, names, known | local):
            continue
        local |= {name for target in targets for name in _stored(target)}
        found |= {target.attr for target in targets if isinstance(target, ast.Attribute)}
        if isinstance(node, ast.Return):
            found.add(method.name)
    return found


def _holds_reading(value: ast.expr, names: Mapping[str, Any], known: Collection[str]) -> bool:
    for node in ast.walk(value):
        if isinstance(node, ast.Call) and _is_one(_resolved(node.func, names), _CLOCKS):
            return True
        name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)
        if name in known:
            return True
    return False


def _adds(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "append" and bool(call.args)


def _stored(target: ast.expr) -> list[str]:
    if isinstance(target, ast.Tuple | ast.List):
        return [name for part in target.elts for name in _stored(part)]
    return [target.id] if isinstance(target, ast.Name) else []


def _is_reading(value: ast.expr, namespace: Mapping[str, Any], known: Collection[str]) -> bool:
    """Return whether it is a clock reading or arithmetic with one; the comparison of two is not."""
    if isinstance(value, ast.Name):
        return value.id in known
    if isinstance(value, ast.Call):
        if _is_one(_resolved(value.func, namespace), _CLOCKS):
            return True
        if isinstance(value.func, ast.Attribute) and keeps_reading(
            ast.unparse(value.func), namespace
        ):
            return True
        inner = [*value.args, value.func.value] if isinstance(value.func, ast.Attribute) else []
        plain = _is_one(_resolved(value.func, namespace), (round, int, float, str))
        return any(_is_reading(part, namespace, known) for part in (value.args if plain else inner))
    if isinstance(value, ast.BinOp | ast.JoinedStr | ast.FormattedValue | ast.Tuple | ast.UnaryOp):
        parts = [part for part in ast.iter_child_nodes(value) if isinstance(part, ast.expr)]
        return any(_is_reading(part, namespace, known) for part in parts)
    return False


def _resolved(node: ast.expr, namespace: Mapping[str, Any]) -> object:
    """Return the value of a dotted name, in the namespace or among the built-in names."""
    if isinstance(node, ast.Name):
        return namespace.get(node.id, getattr(builtins, node.id, None))
    if isinstance(node, ast.Attribute):
        holder = _resolved(node.value, namespace)
        if _is_one(holder, _MODULES):
            return getattr(holder, node.attr, None)
    return None


def _is_one(value: object, known: Collection[object]) -> bool:
    """Return whether a value is one of these objects; `==` of arrays would return an array."""
    return any(value is each for each in known)
