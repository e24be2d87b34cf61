"""Consecutive schedules in a `SequentialLR`: a warmup and the schedules after it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from workbench.source.tree import inside
from workbench.words import words

# Schedules that torch restarts at their milestone, as if they were new.
_RESTARTED = frozenset(
    words(
        "CosineAnnealingLR CosineAnnealingWarmRestarts ExponentialLR LambdaLR LinearLR "
        "MultiStepLR PolynomialLR StepLR"
    )
)


@dataclass(frozen=True, slots=True)
class Sequence:
    """A call `SequentialLR(optimizer, [warmup, decay], milestones=[5])`.

    Attributes:
        optimizer: the first argument.
        schedules: variables that hold only schedules, and calls that create schedules.
        milestones: the epochs at which all but the first schedule begin.
    """

    optimizer: ast.expr
    schedules: tuple[ast.Name | ast.Call, ...]
    milestones: ast.expr


def sequence(call: ast.Call) -> Sequence | None:
    """Return the schedules of a call of `SequentialLR`, or None if they are not written out."""
    given = dict(zip(("optimizer", "schedulers", "milestones"), call.args, strict=False))
    given |= {one.arg or "**": one.value for one in call.keywords}
    listed = given.get("schedulers")
    if given.keys() != {"optimizer", "schedulers", "milestones"}:
        return None
    if not isinstance(listed, ast.List | ast.Tuple):
        return None
    parts = tuple(one for one in listed.elts if isinstance(one, ast.Name | ast.Call))
    if len(parts) != len(listed.elts):
        return None
    return Sequence(given["optimizer"], parts, given["milestones"])


def parts_of(nodes: Iterable[ast.AST]) -> tuple[set[str], set[int]]:
    """Return the variables that hold a part of a sequence, and the ids of calls that create parts.

    A sequence counts only if each part is restarted, created once and used nowhere else.
    """
    nodes = list(nodes)
    reads: dict[str, int] = {}
    made: dict[str, list[ast.expr]] = {}
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            reads[node.id] = reads.get(node.id, 0) + 1
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            made.setdefault(node.targets[0].id, []).append(node.value)
    names: set[str] = set()
    calls: set[int] = set()
    for found in _sequences(nodes):
        values: list[ast.expr | None] = []
        for part in found.schedules:
            if isinstance(part, ast.Name):
                held = made.get(part.id, [])
                alone = len(held) == 1 and reads.get(part.id) == 1
                values.append(held[0] if alone else None)
            else:
                values.append(part)
        if all(_restarts(value) for value in values):
            names |= {part.id for part in found.schedules if isinstance(part, ast.Name)}
            calls |= {id(value) for value in values}
    return names, calls


def _sequences(nodes: Iterable[ast.AST]) -> Iterator[Sequence]:
    for node in nodes:
        if isinstance(node, ast.Call) and is_sequential(node.func):
            found = sequence(node)
            if found is not None:
                yield found


def is_sequential(node: ast.expr) -> bool:
    """Return whether an expression is `SequentialLR`, however it is imported."""
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)
    return name == "SequentialLR"


def _restarts(value: ast.expr | None) -> bool:
    if not isinstance(value, ast.Call):
        return False
    func = value.func
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", None)
    return name in _RESTARTED and not any(is_sequential(one) for one in inside(value))  # type: ignore[arg-type]
