"""In-place writes into a part of a tensor, as in `t[0].mul_(2)`."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from workbench.rules.match import Match
from workbench.rules.rule import Rule

_IN_PLACE = re.compile(r"torch\.Tensor\.[a-z]\w*[a-z0-9]_$")
_WITHOUT_GRADIENT = frozenset({"data", "detach"})
_CAVEAT = (
    "gradients do not know of what is written into a part of a tensor; where they are needed, "
    "assign the part: `t[0] = …`"
)


def warned(rule: Rule) -> Rule:
    """The rule; of an in-place method it warns where the receiver is a part of another tensor."""
    if _IN_PLACE.match(rule.name) is None or rule.refusal is not None:
        return rule
    return replace(rule, warns=_into_a_part)


def _into_a_part(match: Match) -> str | None:
    receiver = match.use.receiver
    if not isinstance(receiver, ast.Subscript):
        return None
    whole: ast.expr = receiver
    while isinstance(whole, ast.Subscript | ast.Attribute | ast.Call):
        if isinstance(whole, ast.Attribute) and whole.attr in _WITHOUT_GRADIENT:
            return None
        whole = whole.func if isinstance(whole, ast.Call) else whole.value
    return _CAVEAT
