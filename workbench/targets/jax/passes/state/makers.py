"""Functions of a program that make sequences of layers."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from workbench.convert.decide.planner import Plan
from workbench.source.tree import Notes, inside, whole
from workbench.targets.jax.passes.program.places import Function
from workbench.targets.jax.passes.program.structure import Structure

_SEQUENTIAL = "torch.nn.Sequential"
# An edit keeps the nodes of the functions that it does not touch.
_returned: Notes[list[ast.expr | None]] = Notes("returned")
_results: Notes[list[ast.expr | None]] = Notes("results")


def returned_values(function: Function) -> Sequence[ast.expr | None]:
    """Return what the return statements of a function return; None for those without a value."""
    known = _returned.get(function)
    if known is None:
        returns = (one for one in whole(function) if isinstance(one, ast.Return))
        known = _returned[function] = [one.value for one in returns]
    return known


def sequence_makers(structure: Structure, planned: Mapping[int, Plan]) -> Iterator[str]:
    """Yield the functions of a program that only return a `Sequential` that they make.

    `planned` are the plans of its uses, by the identity of their nodes.
    """
    for function in structure.functions.values():
        plans = [planned.get(id(one)) for one in _results_of(function)]
        if plans and all(one is not None and one.use.name == _SEQUENTIAL for one in plans):
            yield function.name


def _results_of(function: Function) -> Sequence[ast.expr | None]:
    """Return what a function returns, through the variables that it assigns to."""
    known = _results.get(function)
    if known is None:
        made = {
            ast.unparse(aim): one.value
            for one in inside(function)
            if isinstance(one, ast.Assign)
            for aim in one.targets
        }
        known = _results[function] = [
            made.get(ast.unparse(one), one) if one is not None else None
            for one in returned_values(function)
        ]
    return known
