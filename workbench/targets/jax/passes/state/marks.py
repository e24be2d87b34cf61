"""Attributes that a program gives parameters: `self.scale._no_decay = True`.

A variable of flax has no attributes of its own, but marks that are read by the same text.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.convert.passes import Draft
from workbench.rules.outcome import Rewrite
from workbench.source.uses import UseKind
from workbench.targets.jax.passes.program.plans import named, position
from workbench.targets.jax.passes.program.structure import structure_of
from workbench.targets.jax.passes.state.cells import cells_of

_NAME = "torch.nn.Parameter"
# Attributes that torch itself gives tensors.
_OWN = frozenset({"data", "grad", "requires_grad"})


def mark_parameters(draft: Draft) -> Draft:
    """Write the attributes that a program gives parameters as marks."""
    structure = structure_of(draft.analysis, draft.plans)
    if not structure.classes:
        return draft
    stored = [
        (statement, aim)
        for statement in structure.places.of(ast.Assign)
        for aim in statement.targets[:1]
        if len(statement.targets) == 1
        and isinstance(aim, ast.Attribute)
        and not isinstance(aim.value, ast.Name)
        and aim.attr not in _OWN
    ]
    cells = cells_of(structure, draft.plans) if stored else None
    plans = []
    for statement, aim in stored:
        if cells is None or id(aim) in cells.plans or cells.at(aim.value) is None:
            continue
        pieces = (aim.value, f".set_metadata({aim.attr}=", statement.value, ")")
        plans.append(named(aim, _NAME, Rewrite("{self}", pieces=pieces), structure, UseKind.STORE))
    return replace(draft, plans=sorted([*draft.plans, *plans], key=position)) if plans else draft
