"""In-place writes into a view of a tensor, as in `t[0].mul_(2)`, or into what gradients need."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite, in_a_copy
from workbench.rules.rule import Rule
from workbench.source.ownership import RESULT_NEEDED, is_needed_result
from workbench.source.traits.sharing import KEEPING, holder_named
from workbench.source.types import dtypes
from workbench.source.types.lattice import NUMBERED, Tensor
from workbench.source.types.views import owner_of, root, viewed
from workbench.source.uses import Use, UseKind

_IN_PLACE = re.compile(r"torch\.Tensor\.([a-z]\w*[a-z0-9]_|__i(add|sub|mul|truediv)__)$")
IN_A_PART = (
    "gradients ignore an in-place write to a part of a tensor; if they are needed, assign"
    " the part instead: `t[0] = …`"
)
_NEEDED = (
    "a backward pass raises an error in Paddle if the tensor is the result of a division or of"
    " another operation whose gradient needs that result: change a copy, `y = y.clone()`"
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
    if rule.name == "torch.Tensor.__setitem__":
        return replace(rule, function=lambda match: into_a_copy(match, rule.apply(match)))
    if _IN_PLACE.match(rule.name) is None or rule.refusal is not None:
        return rule

    method = rule.name.rpartition(".")[2]

    def decide(match: Match) -> Outcome:
        outcome = rule.apply(match)
        if isinstance(outcome, Refusal) or outcome.caveat is not None:
            return outcome
        receiver = match.use.receiver
        if receiver is not None and is_needed_result(receiver):
            return in_a_copy(outcome, method, assigned=False) or outcome
        return unless_needed(match, _warned(match, outcome, method))

    return replace(rule, function=decide)


def _warned(match: Match, outcome: Rewrite | Keep, method: str) -> Outcome:
    """Return the in-place change as an assignment if that keeps gradients, or with a caveat."""
    if _is_item(match.use):
        return outcome
    if is_plain_part(match.use) and (given := _only_given(match, outcome)) is not None:
        return replace(given, note=outcome.note)
    if is_plain_part(match.use) or _is_held_alone(match.use):
        copied = in_a_copy(outcome, method)
        if copied is not None:
            return copied
    return replace(outcome, caveat=_into_a_part(match))


def unless_needed(match: Match, outcome: Outcome) -> Outcome:
    """Return the in-place change, with a caveat if a backward pass may need the old values.

    A new tensor that is assigned to the variable leaves them as they are.
    """
    receiver, value = match.use.receiver, match.use.receiver_value
    if isinstance(outcome, Refusal) or outcome.caveat is not None or receiver is None:
        return outcome
    whole = isinstance(receiver, ast.Name)
    if isinstance(outcome, Keep) and match.use.kind is UseKind.AUGMENTED:
        return outcome
    if match.use.name.rpartition(".")[2] in KEEPING:
        return outcome
    if isinstance(outcome, Rewrite) and (outcome.pieces or (whole and outcome.assigned)):
        return outcome
    if isinstance(value, Tensor) and dtypes.kind(value.dtype) in {0, 1}:
        return outcome
    owner = owner_of(receiver)
    if owner is None or not match.program.may_be_needed(holder_named(owner, match.use.function)):
        return outcome
    return replace(outcome, caveat=_NEEDED)


_SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
}


def into_a_copy(match: Match, outcome: Outcome) -> Outcome:
    """Return the write to a part, after a copy if Paddle's gradients need the tensor's values.

    `y = a / b; y[0] = 1` becomes `y = y.clone(); y[0] = 1`, each on its own line.
    """
    use = match.use
    node, statement, value = use.node, use.statement, use.receiver_value
    if isinstance(outcome, Refusal):
        return outcome
    if not use.makers & RESULT_NEEDED:
        return unless_needed(match, outcome)
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
        return outcome
    if isinstance(value, Tensor) and dtypes.kind(value.dtype) in {0, 1}:
        return outcome
    sign = ""
    if isinstance(statement, ast.AugAssign):
        sign = _SIGNS.get(type(statement.op), "")
        if not sign:
            return outcome
    elif not isinstance(statement, ast.Assign) or len(statement.targets) > 1:
        return outcome
    name, written = node.value.id, node.value.id
    if isinstance(outcome, Rewrite):
        if not outcome.callee_only:
            return outcome
        written = outcome.template.replace("{self}", name)
    index = tuple(_pieces_of(node.slice))
    start = f"{name} = {name}.clone()\n{written}["
    pieces = (start, *index, f"] {sign}= ", statement.value)
    consumed = frozenset(match.arguments)
    return Rewrite(
        "{self}", consumed=consumed, note=outcome.note, differs=outcome.differs, pieces=pieces
    )


def _pieces_of(index: ast.expr) -> Iterator[str | ast.expr]:
    """Yield the parts of an index, with the texts between them."""
    if isinstance(index, ast.Tuple):
        for place, one in enumerate(index.elts):
            yield from ([", "] if place else [])
            yield from _pieces_of(one)
    elif isinstance(index, ast.Slice):
        yield from ([index.lower] if index.lower is not None else [])
        yield ":"
        yield from ([index.upper] if index.upper is not None else [])
        if index.step is not None:
            yield from (":", index.step)
    else:
        yield index


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
    return whole and floating and bool(use.makers & RESULT_NEEDED)


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
