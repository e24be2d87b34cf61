"""Loops over dicts of layers or parameters: flax sorts their names after the first update."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.convert.passes import Draft
from workbench.rules.outcome import Rewrite
from workbench.targets.jax.passes.program.plans import named, position
from workbench.targets.jax.passes.program.structure import structure_of
from workbench.targets.jax.passes.state.cells import last_name

_DICTS = frozenset({"torch.nn.ModuleDict", "torch.nn.ParameterDict"})
_KEYS = "torch.nn.ModuleDict.keys"
_LISTING = frozenset({"list", "tuple", "enumerate", "zip", "iter", "next", "set"})


def read_dicts(draft: Draft) -> Draft:
    """Write `for name in self.heads` by the names in the order of their assignment."""
    made = [one for one in draft.plans if one.use.name in _DICTS and one.use.call is not None]
    if not made:
        return draft
    structure = structure_of(draft.analysis, draft.plans)
    nodes = {id(one.use.node) for one in made}
    found: dict[str, list[bool]] = {}
    for one in structure.places.of(ast.Assign):
        for aim in one.targets:
            found.setdefault(last_name(aim), []).append(id(one.value) in nodes)
    names = {name for name, kinds in found.items() if name and all(kinds)}
    parents = structure.places.parents
    plans = [
        named(node, _KEYS, Rewrite(_text(node)), structure)
        for node in structure.places.of(ast.Attribute, ast.Name)
        if last_name(node) in names
        and isinstance(node.ctx, ast.Load)
        and _is_listed(node, parents.get(id(node)))
    ]
    return replace(draft, plans=sorted([*draft.plans, *plans], key=position))


def _is_listed(node: ast.expr, parent: ast.AST | None) -> bool:
    """Return whether code goes through the names of a dict."""
    match parent:
        case ast.For(iter=listed) | ast.comprehension(iter=listed):
            return listed is node
        case ast.Call(func=ast.Name(id=name), args=args):
            return name in _LISTING and any(one is node for one in args)
    return isinstance(parent, ast.Starred)


def _text(node: ast.Name | ast.Attribute) -> str:
    place = "{self}." + node.attr if isinstance(node, ast.Attribute) else node.id
    return f"torch_items({place})"
