"""Classes of layers: `forward` becomes `__call__`, and `training` flax's flag."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from workbench.convert.decide.planner import Plan
from workbench.convert.passes import Draft
from workbench.convert.rewrite.edits import statement_start
from workbench.findings import Certainty
from workbench.rules.difference import unless
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Refusal, Rewrite, TextEdit
from workbench.source.analysis import Analysis
from workbench.source.uses import Use, UseKind
from workbench.targets.jax.passes.program.imported import has_other_files
from workbench.targets.jax.passes.program.plans import (
    NO_ARGUMENTS,
    named,
    position,
    with_edits,
)
from workbench.targets.jax.passes.program.structure import Structure, name_span, structure_of

_BASE = "torch.nn.Module"


def rename_forward(draft: Draft) -> Draft:
    """Rename the `forward` of the program's own classes of layers, and its calls by that name."""
    structure = structure_of(draft.analysis, draft.plans)
    if not structure.classes and not has_other_files(draft.analysis):
        return draft
    plans = [_renamed(one, structure) for one in draft.plans]
    plans += [_renamed(one, structure) for one in _imported_bases(structure)]
    known = {id(one.use.node) for one in plans}
    plans += [
        named(node, "torch.nn.Module.forward", Rewrite("{self}.__call__"), structure)
        for node in structure.places.of(ast.Attribute)
        if _is_forward(node) and id(node) not in known
    ]
    return replace(draft, plans=sorted(plans, key=position))


def _imported_bases(structure: Structure) -> Iterator[Plan]:
    """Yield a plan for each base class of layers that another file defines."""
    for cls in structure.classes.values():
        for base in cls.bases:
            if structure.imported.named_by(base) is not None:
                use = Use(_BASE, UseKind.BASE, base, Certainty.PROVED, cls)
                yield Plan(use, Keep(), Match(use, NO_ARGUMENTS))


def _renamed(plan: Plan, structure: Structure) -> Plan:
    """Return the plan of a base class, with the new name of the class's `forward`."""
    if plan.use.kind is not UseKind.BASE or not isinstance(plan.use.statement, ast.ClassDef):
        return plan
    cls = plan.use.statement
    names = {one.name for one in cls.body if isinstance(one, ast.FunctionDef)}
    if {"forward", "__call__"} <= names:
        refusal = Refusal("the class defines both forward and __call__, which JAX calls instead")
        return plan.decided(refusal, "forward is called __call__ in JAX")
    return with_edits(plan, headers_of(cls, structure), "forward is called __call__ in JAX")


def headers_of(cls: ast.ClassDef, structure: Structure) -> tuple[TextEdit, ...]:
    """Return the edits that rename `forward` in a class and in those below it."""
    found: list[TextEdit] = []
    for one in structure.family(cls):
        for method in one.body:
            if isinstance(method, ast.FunctionDef) and method.name == "forward":
                found.append((*name_span(structure.analysis, method), "__call__"))
    return tuple(found)


def _is_forward(node: ast.Attribute) -> bool:
    return node.attr == "forward" and isinstance(node.ctx, ast.Load)


def drop_constructors(draft: Draft) -> Draft:
    """Remove `super().__init__()` where the class of flax has nothing to do in it."""
    structure = structure_of(draft.analysis, draft.plans)
    several = any(len(cls.bases) > 1 for cls in structure.classes.values())
    if several or has_other_files(draft.analysis):
        return draft
    return replace(draft, plans=[_without_constructor(one, structure) for one in draft.plans])


def _without_constructor(plan: Plan, structure: Structure) -> Plan:
    """Return the plan of a base class, without the call of its constructor."""
    use = plan.use
    if (
        use.kind is not UseKind.BASE
        or use.name != _BASE
        or not isinstance(use.statement, ast.ClassDef)
    ):
        return plan
    edits: list[TextEdit] = []
    for method in use.statement.body:
        if isinstance(method, ast.FunctionDef) and method.name == "__init__":
            calls = [one for one in method.body if _calls_super(one)]
            others = [one for one in method.body if one not in calls and not _is_text(one)]
            if len(calls) == 1 and others:
                edits += _line_of(calls[0], structure.analysis)
    return with_edits(plan, tuple(edits), "the constructor of flax's class does nothing")


def _calls_super(statement: ast.stmt) -> bool:
    """Return whether a statement is `super().__init__()`."""
    match statement:
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__"),
                args=[],
                keywords=[],
            )
        ):
            return True
    return False


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _line_of(statement: ast.stmt, analysis: Analysis) -> Iterator[TextEdit]:
    """Yield the edit that removes a statement, unless its line has other code or a comment."""
    start, _ = statement_start(analysis, statement)
    end = analysis.lines.start(statement.end_lineno or statement.lineno)
    if analysis.text[start:end].strip() == analysis.text[slice(*analysis.span(statement))]:
        yield start, end, ""


_TRAINING = "torch.nn.Module.training"
_FLAG = "deterministic"
_OF_LAYERS = unless(
    "if the model has neither dropout nor batch norm, or these have another mode than the model:"
    " {target} has a mode for each such layer, and reads the first one"
)


def ask_for_mode(draft: Draft) -> Draft:
    """Read `self.training` from flax's flag, which `train()` and `eval()` set."""
    asked = [one for one in draft.plans if one.use.name == _TRAINING]
    if not asked:
        return draft
    structure = structure_of(draft.analysis, draft.plans)
    flagged: set[str] = set()
    decided = {id(one): _with_flag(one, structure, flagged) for one in asked}
    return replace(draft, plans=[decided.get(id(one), one) for one in draft.plans])


def _with_flag(plan: Plan, structure: Structure, flagged: set[str]) -> Plan:
    """Return the plan of a read of the mode; the first one of a class adds its flag."""
    why = "flax's train() and eval() set another flag"
    cls = structure.class_of(plan.use.node)
    receiver = plan.use.receiver
    own = isinstance(receiver, ast.Name) and receiver.id == "self"
    if not plan.converts or receiver is None or plan.use.kind is UseKind.STORE:
        return plan.decided(Refusal("flax has no flag for the mode of any model"), why)
    if cls is None or not own:
        return plan.decided(Rewrite("torch_is_training({self})", differs=_OF_LAYERS), why)
    if cls.name in flagged:
        return plan
    flagged.add(cls.name)
    at, _ = statement_start(structure.analysis, cls.body[0])
    newline = structure.analysis.lines.newline
    indent = " " * cls.body[0].col_offset
    text = f"{indent}{_FLAG} = False  # train() and eval() set it{newline}{newline}"
    return with_edits(plan, ((at, at, text),), why)
