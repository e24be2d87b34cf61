"""Schedules that follow each other, as `SequentialLR` takes them: a warmup and what comes after."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from workbench.source.tree import inside

# Before the name of a variable that holds a schedule of a sequence.
PART = "part "
# torch starts these anew at their milestone, as if they had just been made.
_STARTED_ANEW = frozenset(
    {
        "CosineAnnealingLR",
        "CosineAnnealingWarmRestarts",
        "ExponentialLR",
        "LambdaLR",
        "LinearLR",
        "MultiStepLR",
        "PolynomialLR",
        "StepLR",
    }
)


@dataclass(frozen=True, slots=True)
class Sequence:
    """`SequentialLR(optimizer, [warmup, decay], milestones=[5])`.

    Attributes:
        optimizer: the first argument.
        schedules: variables that hold schedules and nothing else, and calls that make some.
        milestones: where each of them but the first one begins.
    """

    optimizer: ast.expr
    schedules: tuple[ast.Name | ast.Call, ...]
    milestones: ast.expr


def sequence(call: ast.Call) -> Sequence | None:
    """The schedules of a call of `SequentialLR`; None where they are not spelled out."""
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
    """The variables that hold a part of a sequence, and the calls (by identity) that make parts.

    Of those sequences alone whose every part starts anew, is made once, and is used nowhere else.
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
        if all(_starts_anew(value) for value in values):
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
    """Whether an expression is `SequentialLR`, however it was imported."""
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)
    return name == "SequentialLR"


def _starts_anew(value: ast.expr | None) -> bool:
    if not isinstance(value, ast.Call):
        return False
    func = value.func
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", None)
    return name in _STARTED_ANEW and not any(is_sequential(one) for one in inside(value))  # type: ignore[arg-type]
