"""Tensors passed where torch takes an integer, and some functions of a target do not."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.findings import Certainty
from workbench.rules.difference import unless
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite, as_rewrite
from workbench.source.uses import Count, Use, UseKind
from workbench.targets import Target

_OPEN = (
    "if `%s` is a tensor, {target} raises an error or takes it for something else; write `.item()`"
    " behind it if it always is one"
)


def numbers_of(use: Use, outcome: Outcome, target: Target) -> tuple[ast.expr, ...]:
    """Return the arguments of a use that are written as numbers: `n.item()` for `n`."""
    if not isinstance(outcome, Rewrite):
        return ()
    # Python's own functions take tensors with dimensions in no target.
    counts = use.counts if use.kind is UseKind.NUMBER else _untaken(use, target)
    return tuple(one.node for one in counts if one.certainty is Certainty.PROVED)


def with_counts(use: Use, outcome: Outcome, target: Target) -> Outcome:
    """Return the outcome in a form that can be written with numbers; report what stays a tensor.

    A method or a variable that keeps its name is written as itself.
    """
    untaken = _untaken(use, target)
    if isinstance(outcome, Refusal) or use.kind is UseKind.NUMBER or not untaken:
        return outcome
    sure = [one for one in untaken if one.certainty is Certainty.PROVED]
    if sure and isinstance(outcome, Keep) and (callee := _callee(use)) is not None:
        outcome = as_rewrite(outcome, callee)
    left = [one for one in untaken if isinstance(outcome, Keep) or one not in sure]
    if not left:
        return outcome
    names = ", ".join(dict.fromkeys(one.parameter for one in left))
    return replace(outcome, differs=(*outcome.differs, *unless(_OPEN % names)))


def _callee(use: Use) -> str | None:
    """Return the template of a callee that stays: a method's, or a variable's; None for others."""
    function = use.call.func if use.call is not None else None
    if use.kind is UseKind.CALL and isinstance(function, ast.Attribute):
        return f"{{self}}.{function.attr}" if function.value is use.receiver else None
    named = use.kind is UseKind.INDIRECT and isinstance(function, ast.Name)
    return function.id if named and isinstance(function, ast.Name) else None


def _untaken(use: Use, target: Target) -> list[Count]:
    """Return the arguments of which the target takes no tensor."""
    return [one for one in use.counts if not target.takes_tensor(use.name, one.parameter)]
