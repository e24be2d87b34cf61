"""Calls of several tensors, for which Paddle raises if their kinds of dtypes differ."""

from __future__ import annotations

from typing import Final

from workbench.rules.difference import Difference, Differs
from workbench.rules.match import Match
from workbench.source.types import dtypes
from workbench.source.types.lattice import MIXED, Tensor, Value
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


def unlike_dtypes(name: str, match: Match) -> Differs:
    """Return the difference of a call of a promoting function whose dtypes are not all known."""
    use = match.use
    if name.rpartition(".")[2] not in _PROMOTING:
        return ()
    values = [*use.values, *use.keywords.values()]
    return unless_known(*([use.receiver_value] if use.receiver is not None else []), *values)


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
