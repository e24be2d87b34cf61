"""Gradients of parameters that code reads after a training step: `model.fc.weight.grad.norm()`.

They are those of the last step, until something clears them or adds to them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.convert.decide.planner import Plan
from workbench.source.tree import inside
from workbench.source.uses import UseKind
from workbench.targets.jax.passes.program.structure import Structure
from workbench.targets.jax.passes.state.cells import Cells, cells_of, last_name
from workbench.targets.jax.passes.steps import owners
from workbench.targets.jax.passes.steps.block import BACKWARD, ZERO
from workbench.targets.jax.passes.steps.leaves import GRAD
from workbench.targets.jax.passes.steps.parts import Read, Step


def note_reads(steps: list[Step], plans: list[Plan], structure: Structure) -> None:
    """Note in each step the reads of gradients of parameters that follow it."""
    wanted = [one for one in plans if one.use.name == GRAD and one.use.kind is UseKind.READ]
    if not wanted or not steps:
        return
    cells = cells_of(structure, plans)
    changing = [one for one in plans if one.use.name == BACKWARD or ZERO.fullmatch(one.use.name)]
    called = owners.callers_of(changing, structure)
    for one in wanted:
        receiver = one.use.receiver
        if receiver is None or cells.at(receiver) is None:
            continue
        before = [
            (step, model)
            for step in steps
            if not step.leaves
            for model in step.models
            if _owns(model, receiver, cells) and _is_before(step, one, structure)
        ]
        if not before:
            continue
        step, model = max(before, key=lambda each: each[0].gradients[-1].plan.use.node.lineno)
        if not _changed_between(step, one, changing, called, structure):
            step.kept.append(Read(one, model))


def _owns(model: str, node: ast.expr, cells: Cells) -> bool:
    """Return whether a parameter is one of a model."""
    if isinstance(node, ast.Attribute):
        return ast.unparse(node).startswith(f"{model}.")
    around: ast.AST | None = node
    while (around := cells.parents.get(id(around))) is not None:
        loops = [around] if isinstance(around, ast.For) else getattr(around, "generators", [])
        for loop in loops:
            bound = any(
                getattr(one, "id", "") == getattr(node, "id", "") for one in inside(loop.target)
            )
            if bound and isinstance(loop, ast.For | ast.comprehension):
                return any(f"{one}.".startswith(f"{model}.") for one in _listed(loop.iter))
    return False


def _listed(node: ast.expr) -> Iterator[str]:
    """Yield the models whose parameters an expression lists."""
    for one in inside(node):
        match one:
            case ast.Call(func=ast.Attribute(value=value, attr="parameters" | "named_parameters")):
                yield ast.unparse(value).partition("[")[0]


def _is_before(step: Step, read: Plan, structure: Structure) -> bool:
    """Return whether a step is in the same function as a use, and above it."""
    last = step.gradients[-1].plan.use
    same = structure.owner[id(last.node)] is structure.owner[id(read.use.node)]
    return same and last.node.lineno < read.use.node.lineno


def _changed_between(
    step: Step, read: Plan, changing: list[Plan], called: set[str], structure: Structure
) -> bool:
    """Return whether gradients may change between a step and a use below it."""
    first, last = step.gradients[-1].plan.use.node.lineno, read.use.node.lineno
    if any(first < one.use.node.lineno <= last for one in changing):
        return True
    return any(
        first < node.lineno < last and last_name(node.func) in called
        for node in structure.calls
        if structure.owner[id(node)] is structure.owner[id(read.use.node)]
    )
