"""Tensors of more dimensions than many of Paddle's kernels take."""

from __future__ import annotations

import ast

from workbench.rules.difference import Differs, unless
from workbench.rules.match import Match
from workbench.words import words

_MOST = 6  # that indexing and broadcasting take
_SHAPED = frozenset(
    f"{owner}.{name}"
    for owner in ("torch", "torch.Tensor")
    for name in words(
        "view reshape zeros ones empty full rand randn randint new_zeros new_ones "
        "new_full new_empty"
    )
)
_MANY = unless(
    "if this tensor of more than six dimensions is indexed, written to or broadcast: {target}"
    " raises an error"
)


def of_many_dimensions(name: str, match: Match) -> Differs:
    """Return the difference of a result whose shape has more than six parts."""
    if name not in _SHAPED:
        return ()
    return _MANY if any(_length(one.nodes) > _MOST for one in match.arguments.values()) else ()


def _length(nodes: list[ast.expr]) -> int:
    """Return how many parts an argument has, given one by one or in a list."""
    if len(nodes) == 1 and isinstance(nodes[0], ast.Tuple | ast.List):
        nodes = nodes[0].elts
    return len(nodes)
