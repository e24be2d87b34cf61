"""What no two runs share, however alike: readings of a clock, and addresses of objects."""

from __future__ import annotations

import ast
import builtins
import datetime
import time
import timeit
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

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
    """True where code that uses these names may read a clock."""
    held = [namespace.get(name) for name in names]
    return any(any(value is each for each in (*_CLOCKS, *_MODULES)) for value in held)


def readings(
    statements: Sequence[ast.stmt], namespace: Mapping[str, Any], known: Collection[str]
) -> set[str]:
    """Names that these statements give a reading to; `known` hold one already."""
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


def _adds(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "append" and bool(call.args)


def _stored(target: ast.expr) -> list[str]:
    if isinstance(target, ast.Tuple | ast.List):
        return [name for part in target.elts for name in _stored(part)]
    return [target.id] if isinstance(target, ast.Name) else []


def _is_reading(value: ast.expr, namespace: Mapping[str, Any], known: Collection[str]) -> bool:
    """True for a clock's reading and for arithmetic with one; a comparison of two is no reading."""
    if isinstance(value, ast.Name):
        return value.id in known
    if isinstance(value, ast.Call):
        if _resolved(value.func, namespace) in _CLOCKS:
            return True
        inner = [*value.args, value.func.value] if isinstance(value.func, ast.Attribute) else []
        plain = _resolved(value.func, namespace) in (round, int, float, str)
        return any(
            _is_reading(part, namespace, known) for part in (value.args if plain else inner)
        )
    if isinstance(value, ast.BinOp | ast.JoinedStr | ast.FormattedValue | ast.Tuple | ast.UnaryOp):
        parts = [part for part in ast.iter_child_nodes(value) if isinstance(part, ast.expr)]
        return any(_is_reading(part, namespace, known) for part in parts)
    return False


def _resolved(node: ast.expr, namespace: Mapping[str, Any]) -> object:
    """What a dotted name stands for, in the namespace or among the built-in names."""
    if isinstance(node, ast.Name):
        return namespace.get(node.id, getattr(builtins, node.id, None))
    if isinstance(node, ast.Attribute):
        holder = _resolved(node.value, namespace)
        if holder in _MODULES:
            return getattr(holder, node.attr, None)
    return None
