"""In-place writes into a view of a tensor, as in `t[0].mul_(2)`."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from workbench.rules.match import Match
from workbench.rules.rule import Rule
from workbench.source.values import Tensor
from workbench.source.views import viewed

_IN_PLACE = re.compile(r"torch\.Tensor\.[a-z]\w*[a-z0-9]_$")
IN_A_PART = (
    "gradients do not know of what is written into a part of a tensor; where they are needed, "
    "assign the part: `t[0] = …`"
)


def warned(rule: Rule) -> Rule:
    """The rule; of an in-place method it warns where the receiver is a part of another tensor."""
    if _IN_PLACE.match(rule.name) is None or rule.refusal is not None:
        return rule
    return replace(rule, warns=_into_a_part)


def _into_a_part(match: Match) -> str | None:
    receiver, value = match.use.receiver, match.use.receiver_value
    if isinstance(receiver, ast.Subscript):
        return IN_A_PART if viewed(receiver) else None
    # A view under the name of what it is a view of leaves nothing that could be asked later.
    shared = isinstance(value, Tensor) and value.part is not None
    own = isinstance(receiver, ast.Name) and isinstance(value, Tensor) and receiver.id == value.part
    return IN_A_PART if shared and not own else None
