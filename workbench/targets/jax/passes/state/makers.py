"""Functions of a program that make sequences of layers."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from workbench.convert.decide.planner import Plan
from workbench.source.tree import inside
from workbench.targets.jax.passes.program.structure import Structure

_SEQUENTIAL = "torch.nn.Sequential"


def sequence_makers(structure: Structure, planned: Mapping[int, Plan]) -> Iterator[str]:
    """Yield the functions of a program that only return a `Sequential` that they make.

    `planned` are the plans of its uses, by the identity of their nodes.
    """
    for function in structure.functions.values():
        made = {
            ast.unparse(aim): one.value
            for one in inside(function)
            if isinstance(one, ast.Assign)
            for aim in one.targets
        }
        returned = [
            made.get(ast.unparse(one.value), one.value) if one.value is not None else None
            for one in inside(function)
            if isinstance(one, ast.Return)
        ]
        plans = [planned.get(id(one)) for one in returned]
        if plans and all(one is not None and one.use.name == _SEQUENTIAL for one in plans):
            yield function.name
