"""Functions of einx, which has no backend for Paddle."""

from __future__ import annotations

import re

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.upstream import einx

rules = RuleSet()

_FUNCTIONS = {
    "add": "torch_add",
    "subtract": "torch_sub",
    "multiply": "torch_mul",
    "divide": "torch_div",
    "true_divide": "torch_div",
    "where": "torch_where",
    "equal": "lambda x, y: torch_compare(x, y, paddle.equal)",
    "not_equal": "lambda x, y: torch_compare(x, y, paddle.not_equal)",
    "less": "lambda x, y: torch_compare(x, y, paddle.less_than)",
    "less_equal": "lambda x, y: torch_compare(x, y, paddle.less_equal)",
    "greater": "lambda x, y: torch_compare(x, y, paddle.greater_than)",
    "greater_equal": "lambda x, y: torch_compare(x, y, paddle.greater_equal)",
    "logical_and": "paddle.logical_and",
    "logical_or": "paddle.logical_or",
    "maximum": "paddle.maximum",
    "minimum": "paddle.minimum",
}
_NEEDS = "the helper uses einops"
# Descriptions without brackets, bars and named ellipses (`s...`), and those of one selected axis.
_AXES = r"(?:\w+|(?<!\w)\.\.\.|\s)*"
_SIMPLE = re.compile(r"(?:[^\[\]|{}.]|(?<![\w.])\.\.\.(?!\w))*")
_ONE_PLACE = re.compile(rf"{_AXES}\[\w+\]{_AXES},{_AXES}->[^\[\]]*")
_NOT_SUPPORTED = "einx has no backend for Paddle"
_INSTEAD = "einops, or Paddle's own functions with `unsqueeze`"


def _refused() -> Refusal:
    return Refusal(_NOT_SUPPORTED, instead=_INSTEAD)


def _elementwise(match: Match) -> Outcome:
    """Name the function that einx applies; the description has to be a constant."""
    description = match.constant("description")
    if not isinstance(description, str) or _SIMPLE.fullmatch(description) is None:
        return _refused()
    function = _FUNCTIONS[match.use.name.removeprefix(einx.PREFIX)]
    call = f"torch_einx({function}, {{description}}, *{{tensors}}, *{{parameters}})"
    return Rewrite(call, note=_NEEDS)


for _name in einx.ELEMENTWISE:
    rules.rule(einx.PREFIX + _name)(_elementwise)


@rules.rule("einx.get_at")
def get_at(match: Match) -> Outcome:
    """Select along one axis, by one tensor of places."""
    description = match.constant("description")
    if not isinstance(description, str) or _ONE_PLACE.fullmatch(description) is None:
        return _refused()
    return Rewrite("torch_einx_get_at({description}, *{tensors}, *{parameters})", note=_NEEDS)


rules.refuse(
    *(einx.PREFIX + name for name in einx.OTHERS),
    reason=_NOT_SUPPORTED,
    instead=_INSTEAD,
)
