"""Attributes of layers that hold an array later: flax has to know that from the beginning.

    self.last = None

becomes `self.last = nnx.data(None)` if a method assigns a tensor to it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from workbench.convert.passes import Draft
from workbench.rules.outcome import TextEdit
from workbench.source.tree import inside
from workbench.source.uses import UseKind
from workbench.targets.jax.passes.program.plans import with_edits
from workbench.targets.jax.passes.program.structure import Structure, structure_of

_WHY = "flax tells arrays from other attributes by the first value"
_GROWING = frozenset({"append", "extend", "insert", "update", "setdefault"})


def mark_data(draft: Draft) -> Draft:
    """Mark the first value of attributes of layers that get tensors later."""
    structure = structure_of(draft.analysis, draft.plans)
    if not structure.classes:
        return draft
    uses = {id(one.use.node) for one in draft.plans if one.use.name.startswith("torch.")}
    later = _later(structure, uses)
    plans = []
    for one in draft.plans:
        if one.use.kind is UseKind.BASE and isinstance(one.use.statement, ast.ClassDef):
            edits = tuple(_marks(one.use.statement, later, uses, structure))
            one = with_edits(one, edits, _WHY)
        plans.append(one)
    return replace(draft, plans=plans)


def _later(structure: Structure, uses: set[int]) -> set[str]:
    """Return the attributes that the program gives tensors, or to which it adds such."""
    tensors: dict[int, set[str]] = {}
    found: set[str] = set()
    for node in structure.places.of(ast.Assign, ast.AugAssign, ast.Expr):
        if not isinstance(node, ast.Assign | ast.AugAssign | ast.Expr):
            continue
        known = tensors.setdefault(id(structure.owner.get(id(node))), set())
        if not _is_tensor(node.value, uses, known):
            continue
        if isinstance(node, ast.Expr):
            found |= set(_grown(node.value))
            continue
        for aim in node.targets if isinstance(node, ast.Assign) else [node.target]:
            for part in aim.elts if isinstance(aim, ast.Tuple) else [aim]:
                held = part.value if isinstance(part, ast.Subscript) else part
                if isinstance(part, ast.Name):
                    known.add(part.id)
                elif isinstance(held, ast.Attribute):
                    found.add(held.attr)
    return found


def _is_tensor(node: ast.expr, uses: set[int], known: set[str]) -> bool:
    """Return whether an expression is computed by torch, or from what is."""
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in {"item", "tolist", "size"}:
        return False
    return any(
        id(one) in uses or (isinstance(one, ast.Name) and one.id in known) for one in inside(node)
    )


def _grown(node: ast.expr) -> Iterator[str]:
    """Yield the attribute to whose list or dict a call adds something."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Attribute(attr=name), attr=method)):
            if method in _GROWING:
                yield name


def _marks(
    cls: ast.ClassDef, later: set[str], uses: set[int], structure: Structure
) -> Iterator[TextEdit]:
    """Yield the edits that mark the first values of a class's attributes."""
    constructor = structure.method(cls, "__init__")
    if constructor is None or constructor not in cls.body:
        return
    for node in inside(constructor):
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)]):
                if (name in later and _is_plain(node.value)) or _is_pair(cls, node.value, uses):
                    start, end = structure.analysis.span(node.value)
                    yield start, start, "nnx.data("
                    yield end, end, ")"


def _is_pair(cls: ast.ClassDef, node: ast.expr, uses: set[int]) -> bool:
    """Return whether a value is the tuple or list of tensors that a method of the class returns."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)):
            return any(
                isinstance(value, ast.Tuple | ast.List)
                and any(id(part) in uses for part in inside(value))
                for method in cls.body
                if isinstance(method, ast.FunctionDef) and method.name == name
                for value in _returned(method)
            )
    return False


def _returned(method: ast.FunctionDef) -> Iterator[ast.expr]:
    """Yield the values that a method returns, also by a name."""
    names = set()
    for one in inside(method):
        if isinstance(one, ast.Return) and one.value is not None:
            yield one.value
            names.add(ast.unparse(one.value))
    for one in inside(method):
        if isinstance(one, ast.Assign) and names & set(map(ast.unparse, one.targets)):
            yield one.value


def _is_plain(node: ast.expr) -> bool:
    """Return whether a value holds no arrays and no layers: `None`, `0.0`, `[]`, `(0, None)`."""
    match node:
        case ast.Constant(value=value):
            return value is None or (isinstance(value, int | float) and value is not True)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return all(map(_is_plain, parts))
        case ast.Dict(keys=[]):
            return True
    return False
