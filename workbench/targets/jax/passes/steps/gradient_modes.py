"""Blocks without gradients: the block goes, and what a loss may read of it has no gradient.

JAX differentiates only what it is asked to: the function of a loss, and the functions that this one
calls. Elsewhere the statements of a block stay as they are.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from workbench.convert.decide.planner import Plan
from workbench.convert.passes import Draft
from workbench.convert.rewrite.edits import statement_start
from workbench.rules.outcome import Keep, Outcome, Refusal, TextEdit
from workbench.source.analysis import Analysis
from workbench.source.tree import inside
from workbench.targets.jax.passes.program.dependence import grows, simple
from workbench.targets.jax.passes.program.places import Function
from workbench.targets.jax.passes.program.structure import Structure, logical_lines

_CREATING = frozenset(
    {"zeros", "ones", "full", "empty", "zeros_like", "ones_like", "full_like", "empty_like"}
)
_MODES = frozenset({"torch.no_grad", "torch.inference_mode"})
_WHY = "nothing is differentiated here"
_STOPPED = Refusal(
    "what is computed here may be part of a loss; its gradient has to be stopped",
    "jax.lax.stop_gradient(value)",
)


def blocks_without_gradients(plans: list[Plan]) -> set[int]:
    """Return the identities of the blocks without gradients."""
    return {
        id(one.use.statement)
        for one in plans
        if one.use.name in _MODES and isinstance(one.use.statement, ast.With)
    }


def without_modes(draft: Draft, structure: Structure, bodies: Sequence[ast.stmt]) -> Draft:
    """Remove `with torch.no_grad():` and its decorator.

    Args:
        draft: the program.
        structure: its functions.
        bodies: the statements that become functions of losses.
    """
    if not any(one.use.name in _MODES for one in draft.plans):
        return draft
    traced = {id(node) for one in bodies for node in inside(one)}
    called = _called(structure, bodies)
    plans = [
        one.decided(_outcome(one, structure, traced, called), _WHY)
        if one.use.name in _MODES
        else one
        for one in draft.plans
    ]
    return replace(draft, plans=plans)


def header_lines(draft: Draft) -> set[int]:
    """Return the lines, from 1, of the headers of blocks that are removed."""
    return {
        line
        for one in draft.plans
        if one.use.name in _MODES and one.converts and isinstance(one.use.statement, ast.With)
        for line in range(one.use.statement.lineno, one.use.statement.body[0].lineno)
        if line <= (one.use.statement.items[-1].context_expr.end_lineno or 0)
    }


def _outcome(plan: Plan, structure: Structure, traced: set[int], called: set[str]) -> Outcome:
    statement = plan.use.statement
    function = structure.owner[id(plan.use.node)]
    edits: tuple[TextEdit, ...]
    if isinstance(statement, Function) and plan.use.node in statement.decorator_list:
        function = statement
        edits = (_decorator(structure.analysis, plan.use.node),)
    elif isinstance(statement, ast.With) and len(statement.items) == 1:
        edits = tuple(_block(structure.analysis, statement))
    else:
        return Refusal("JAX has no mode without gradients")
    if id(statement) in traced or _may_be_traced(function, structure, called):
        around = function if function is not None else structure.analysis.tree
        stopped = _stopped(structure.analysis, statement, around)
        if stopped is None:
            return _STOPPED
        edits += stopped
    return Keep("JAX differentiates only what it is asked to", elsewhere=edits)


def _called(structure: Structure, bodies: Sequence[ast.stmt]) -> set[str]:
    """Return the names of functions and methods that losses and layers may call."""
    defined: dict[str, list[ast.AST]] = {}
    for function in structure.places.of(ast.FunctionDef, ast.AsyncFunctionDef):
        defined.setdefault(function.name, []).append(function)
    found = {"forward", "__call__"}
    left: list[ast.AST] = [*bodies, *defined.get("forward", []), *defined.get("__call__", [])]
    while left:
        for node in inside(left.pop()):
            if isinstance(node, ast.Name | ast.Attribute):
                name = node.id if isinstance(node, ast.Name) else node.attr
                if name in defined and name not in found:
                    found.add(name)
                    left += defined[name]
    return found


def _may_be_traced(function: Function | None, structure: Structure, called: set[str]) -> bool:
    """Return whether a loss may call a function: one in the text, or any if none calls it here."""
    if function is None:
        return False
    if function.name in called:
        return True
    if structure.owner[id(function)] is not None:
        return False
    return not structure.named(function.name)


def _stopped(
    analysis: Analysis, statement: ast.stmt, around: ast.AST
) -> tuple[TextEdit, ...] | None:
    """Return the edits that stop the gradients of what a block computes, or None.

    Args:
        analysis: the program.
        statement: the block, or the function.
        around: the function around the block, or the program.
    """
    edits: list[TextEdit] = []
    whole = isinstance(statement, Function)
    assert isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.With)
    for one in simple(statement.body):
        value = getattr(one, "value", None)
        if isinstance(one, ast.Return) and isinstance(value, ast.expr):
            edits += _around(analysis, analysis.span(one)[0] + len("return"), " ", value)
        elif whole:
            if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in inside(one)):
                return None
        elif (
            isinstance(one, ast.AugAssign)
            or grows(one)
            or not _written_names(one) <= _made_without_history(around, statement)
        ):
            return None
        elif isinstance(one, ast.Assign | ast.AnnAssign) and isinstance(value, ast.expr):
            aim = one.targets[-1] if isinstance(one, ast.Assign) else one.annotation
            edits += _around(analysis, analysis.span(aim)[1], " = ", value)
    return tuple(edits)


def _written_names(node: ast.AST) -> set[str]:
    """Return the variables whose elements a node writes to, or "" for other tensors."""
    found: set[str] = set()
    for one in inside(node):
        if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store):
            found.add(one.value.id if isinstance(one.value, ast.Name) else "")
    return found


def _made_without_history(around: ast.AST, block: ast.stmt) -> set[str]:
    """Return the variables that hold new tensors, which only a block changes."""
    within = {id(one) for one in inside(block)}
    made: Counter[str] = Counter()
    bound: Counter[str] = Counter()
    changed: set[str] = set()
    for one in inside(around):
        match one:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=called)):
                made[name] += getattr(called, "attr", "") in _CREATING
            case ast.Name(id=name, ctx=ast.Store()):
                bound[name] += 1
            case ast.Subscript(ctx=ast.Store()) if id(one) not in within:
                changed |= _written_names(one)
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if attr.endswith("_"):
                changed.add(name)
    return {name for name, count in made.items() if count == bound[name]} - changed


def _around(analysis: Analysis, at: int, gap: str, value: ast.expr) -> Iterator[TextEdit]:
    """Yield the edits that stop the gradient of a value which follows an offset."""
    if isinstance(value, ast.Constant):
        return
    start, end = analysis.span(value)
    between = analysis.text[at:start].strip(" =")
    if isinstance(value, ast.Tuple) and not analysis.text.startswith("(", start):
        yield at, start, f"{gap}lax.stop_gradient(("
        yield end, end, "))"
    elif between == "(":  # brackets around the value, over several lines
        yield (
            at,
            start - len(analysis.text[at:start].rpartition("(")[2]) - 1,
            f"{gap}lax.stop_gradient",
        )
    else:
        yield at, start, f"{gap}lax.stop_gradient("
        yield end, end, ")"


def _decorator(analysis: Analysis, node: ast.AST) -> TextEdit:
    assert isinstance(node, ast.expr)
    line = node.lineno - 1
    return analysis.lines.start(line), analysis.lines.start(node.end_lineno or line + 1), ""


def _block(analysis: Analysis, statement: ast.With) -> Iterator[TextEdit]:
    """Yield the edits that replace a block by its statements."""
    start, _ = statement_start(analysis, statement)
    colon = analysis.text.index(":", analysis.span(statement.items[-1].context_expr)[1])
    first = statement.body[0]
    if first.lineno == analysis.lines.position(colon).line + 1:  # on the line of the header
        yield start, analysis.span(first)[0], analysis.text[start : analysis.span(statement)[0]]
        return
    below = analysis.lines.position(colon).line + 1
    yield start, analysis.lines.start(below), ""
    width = first.col_offset - statement.col_offset
    end = statement.end_lineno or below
    block = analysis.text[analysis.lines.start(below) : analysis.lines.start(end)]
    for line in sorted(logical_lines(block)):
        at = analysis.lines.start(below + line - 1)
        if not analysis.text[at : at + width].strip(" \t"):
            yield at, at + width, ""
