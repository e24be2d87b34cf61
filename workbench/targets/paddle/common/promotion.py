"""Calls of several tensors, for which Paddle raises if their kinds of dtypes differ."""

from __future__ import annotations

import ast
from typing import Final

from workbench.rules.difference import Difference, Differs
from workbench.rules.match import Match
from workbench.source.types import dtypes
from workbench.source.types.lattice import MIXED, Items, Tensor, Value
from workbench.words import words

LOUD: Final = (Difference.UNLIKE_DTYPES,)
# Functions that torch computes in the wider of the dtypes of their tensors.
_PROMOTING = frozenset(
    words(
        "add addcdiv addcmul arctan2 atan2 div divide eq floor_divide fmax fmin fmod ge ger "
        "greater greater_equal gt hypot le less less_equal logical_and logical_or logical_xor lt "
        "maximum minimum mul multiply ne not_equal outer pow remainder sub subtract true_divide"
    )
)
# Functions that join tensors of several dtypes in torch.
_JOINING = frozenset(
    words("cat concat concatenate stack hstack vstack dstack column_stack row_stack")
)
# Names of objects and modules that operands share without having one dtype.
_OWNERS = {"self", "cls", "torch", "nn", "F", "np", "math"}


def unlike_dtypes(name: str, match: Match) -> Differs:
    """Return the difference of a call of a promoting function whose dtypes are not all known.

    A value that is computed from the other operand usually has its dtype: `torch.add(x, x.exp())`.
    """
    use = match.use
    if name.rpartition(".")[2] in _JOINING:
        return _unless_alike(match)
    if name.rpartition(".")[2] not in _PROMOTING:
        return ()
    values = [*use.values, *use.keywords.values()]
    nodes = [*use.arguments, *(one.value for one in (use.call.keywords if use.call else ()))]
    if use.receiver is not None:
        values, nodes = [use.receiver_value, *values], [use.receiver, *nodes]
    operands = zip(nodes, values, strict=False)
    named = [_names(node) for node, value in operands if isinstance(value, Tensor)]
    return () if set.intersection(*named or [set()]) else unless_known(*values)


def has_several_dtypes(name: str, match: Match) -> bool:
    """Return whether calls of the program pass a promoting function tensors of several dtypes."""
    last = name.rpartition(".")[2]
    if last not in _PROMOTING and last != "where":
        return False
    values = (match.use.receiver_value, *match.use.values, *match.use.keywords.values())
    tensors = [one for one in values if isinstance(one, Tensor) and not one.scalar]
    return len(tensors) > 1 and any(MIXED in one.states for one in tensors)


def _unless_alike(match: Match) -> Differs:
    """Return the difference of integers that are joined with a tensor of an unknown dtype."""
    argument = match.arguments.get("tensors")
    listed = argument.node if argument is not None and len(argument.nodes) == 1 else None
    value = argument.value if argument is not None else None
    if not isinstance(listed, ast.List | ast.Tuple) or not isinstance(value, Items):
        return ()
    items = value.items or ()
    kinds = {kind_of(one) for one in items if isinstance(one, Tensor)}
    shared = set.intersection(*map(_names, listed.elts)) if listed.elts else set()
    return LOUD if kinds == {1, None} and not shared else ()


def _names(node: ast.expr) -> set[str]:
    """Return the variables and members that an expression reads: `x` and `self.w`, not `self`."""
    parts = list(ast.walk(node))
    names = {part.id for part in parts if isinstance(part, ast.Name)} - _OWNERS
    return names | {ast.unparse(part) for part in parts if isinstance(part, ast.Attribute)}


def unless_known(*operands: Value) -> Differs:
    """Return the difference of tensors with dimensions, unless their dtypes are known."""
    tensors = [one for one in operands if isinstance(one, Tensor) and not one.scalar]
    kinds = {kind_of(one) for one in tensors}
    return LOUD if len(tensors) > 1 and None in kinds and 3 not in kinds else ()


def kind_of(value: Value) -> int | None:
    """Return the kind of a tensor's dtype, or None if it is unknown."""
    if not isinstance(value, Tensor) or MIXED in value.states:
        return None
    return dtypes.kind(value.dtype)
