"""Parameters that a program tells apart by identity: `id(p) in known`, `p is q`.

A list of parameters has a new object for the weight of each linear layer, in torch's layout.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from workbench.convert.decide.planner import Plan
from workbench.convert.passes import Draft
from workbench.rules.outcome import Rewrite
from workbench.targets.jax.passes.program.plans import named, position
from workbench.targets.jax.passes.program.structure import Structure, structure_of
from workbench.targets.jax.passes.state.cells import cells_of

_LISTS = frozenset({"torch.nn.Module.parameters", "torch.nn.Module.named_parameters"})
_NAME = "torch.nn.Parameter"
_MAPPED = "(lambda p: id(torch_variable(p)))"


def compare_variables(draft: Draft) -> Draft:
    """Compare the variables themselves where a program asks for the identity of parameters."""
    if not any(one.use.name in _LISTS for one in draft.plans):
        return draft
    plans = list(_compared(structure_of(draft.analysis, draft.plans), draft.plans))
    known = {id(one.use.node) for one in draft.plans}
    plans = [one for one in plans if id(one.use.node) not in known]
    return replace(draft, plans=sorted([*draft.plans, *plans], key=position)) if plans else draft


def _compared(structure: Structure, plans: list[Plan]) -> Iterator[Plan]:
    """Yield the plans of names whose identity is asked for."""
    for call in structure.calls:
        match call:
            case ast.Call(func=ast.Name(id="id"), args=[ast.Name() as name]):
                yield _variable(name, structure)
            case ast.Call(func=ast.Name(id="map"), args=[ast.Name(id="id") as function, _]):
                yield named(function, _NAME, Rewrite(_MAPPED), structure)
    tests = [
        one
        for one in structure.places.of(ast.Compare)
        if isinstance(one.ops[0], ast.Is | ast.IsNot)
        and isinstance(one.left, ast.Name)
        and isinstance(one.comparators[0], ast.Name)
    ]
    cells = cells_of(structure, plans) if tests else None
    for test in tests:
        names = [one for one in (test.left, test.comparators[0]) if isinstance(one, ast.Name)]
        if cells is not None and any(cells.at(one) is not None for one in names):
            yield from (_variable(one, structure) for one in names)


def _variable(name: ast.Name, structure: Structure) -> Plan:
    return named(name, _NAME, Rewrite(f"torch_variable({name.id})"), structure)
