"""In-place writes into a view of a tensor, as in `t[0].mul_(2)`, or into what gradients need."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite, in_a_copy
from workbench.rules.rule import Rule
from workbench.source.ownership import POOLS
from workbench.source.types import dtypes
from workbench.source.types.lattice import NUMBERED, Tensor
from workbench.source.types.views import root, viewed
from workbench.source.uses import Use
from workbench.words import words

_IN_PLACE = re.compile(r"torch\.Tensor\.([a-z]\w*[a-z0-9]_|__i(add|sub|mul|truediv)__)$")
IN_A_PART = (
    "gradients ignore an in-place write to a part of a tensor; if they are needed, assign"
    " the part instead: `t[0] = …`"
)
# Functions whose gradient Paddle computes from their result, torch from their arguments: an
# in-place change of the result would break Paddle's backward pass.
KEPT = POOLS | frozenset(
    words(
        "amax amin cosine_similarity cov cross_entropy div elu group_norm hardsigmoid lerp "
        "logsumexp nanmean norm normalize prod relu6 scatter selu silu std true_divide var "
        "CosineSimilarity CrossEntropyLoss GroupNorm"
    )
)
# Expressions that may be evaluated twice.
_PURE = (
    ast.Slice,
    ast.Tuple,
    ast.Constant,
    ast.Name,
    ast.BinOp,
    ast.UnaryOp,
    ast.operator,
    ast.unaryop,
    ast.expr_context,
)


def warned(rule: Rule) -> Rule:
    """Return the rule; for an in-place method it also handles receivers that are views.

    A view that is a plain slice of a variable is assigned, which keeps gradients; other views get a
    caveat. A variable that alone holds a value that gradients need gets a changed copy.
    """
    if _IN_PLACE.match(rule.name) is None or rule.refusal is not None:
        return rule

    def decide(match: Match) -> Outcome:
        outcome = rule.apply(match)
        if isinstance(outcome, Refusal) or outcome.caveat is not None or _is_item(match.use):
            return outcome
        if is_plain_part(match.use) and (given := _only_given(match, outcome)) is not None:
            return replace(given, note=outcome.note)
        if is_plain_part(match.use) or _is_held_alone(match.use):
            method = rule.name.rpartition(".")[2]
            copied = in_a_copy(outcome, method)
            if copied is not None:
                return copied
        return replace(outcome, caveat=_into_a_part(match))

    return replace(rule, function=decide)


_INTO = re.compile(r"torch_into\(\{self\}, \{(\w+)\}\)")


def _only_given(match: Match, outcome: Outcome) -> Rewrite | None:
    """Return the assignment of what a part is filled with: `x[1] = y` casts and broadcasts too."""
    written = _INTO.fullmatch(outcome.template) if isinstance(outcome, Rewrite) else None
    if written is None or not is_apart(match, written[1]):
        return None
    return Rewrite(f"{{{written[1]}}}", assigned=True)


def is_apart(match: Match, parameter: str) -> bool:
    """Return whether an argument is known to be no view of the tensor that a part belongs to.

    The backward pass of Paddle refuses `x[1] = x[0]`.
    """
    part, value = match.use.receiver, match.value(parameter)
    if match.is_number(parameter):
        return True
    return part is not None and isinstance(value, Tensor) and value.part != root(part)


def _is_item(use: Use) -> bool:
    """Return whether the receiver is a whole tensor, taken out of a list, a tuple or a mapping."""
    item, value = use.receiver, use.receiver_value
    if not isinstance(item, ast.Subscript):
        return False
    named = isinstance(item.slice, ast.Constant) and isinstance(item.slice.value, str)
    return named or (isinstance(value, Tensor) and value.part is None)


def is_plain_part(use: Use) -> bool:
    """Return whether a statement is just `x[1:2].mul_(3)`, with slices and numbers only.

    `x` must not be a view, nor possibly a list: if its kind is unknown, a numeric index may select
    an item.
    """
    part = use.receiver
    if not isinstance(part, ast.Subscript) or not isinstance(part.value, ast.Name):
        return False
    known = getattr(use.receiver_value, "part", None)
    if known not in {None, part.value.id}:
        return False
    if known is None and not isinstance(part.slice, ast.Slice | ast.Tuple):
        return False
    if not isinstance(use.statement, ast.Expr) or use.statement.value is not use.node:
        return False
    places = part.slice.elts if isinstance(part.slice, ast.Tuple) else [part.slice]
    is_numbered = NUMBERED in getattr(use.receiver_value, "states", ())
    plain = is_numbered or all(
        isinstance(one, ast.Slice | ast.Constant | ast.UnaryOp) for one in places
    )
    return plain and all(isinstance(one, _PURE) for one in ast.walk(part.slice))


def _is_held_alone(use: Use) -> bool:
    """Return whether a statement changes a value of one variable that Paddle's gradients need."""
    statement, value = use.statement, use.receiver_value
    whole = isinstance(statement, ast.Expr) and statement.value is use.node
    floating = isinstance(value, Tensor) and dtypes.kind(value.dtype) not in {0, 1}
    return whole and floating and bool(use.makers & KEPT)


def _into_a_part(match: Match) -> str | None:
    receiver, value = match.use.receiver, match.use.receiver_value
    if isinstance(value, Tensor) and dtypes.kind(value.dtype) in {0, 1}:
        return None  # integers and bools have no gradients
    if isinstance(receiver, ast.Subscript):
        return IN_A_PART if viewed(receiver) else None
    # A view bound to the name of its base leaves nothing that could be read later.
    shared = isinstance(value, Tensor) and value.part is not None
    own = isinstance(receiver, ast.Name) and isinstance(value, Tensor) and receiver.id == value.part
    return IN_A_PART if shared and not own else None
