"""`x += y` and similar: torch changes the tensor itself, Paddle rebinds the name."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.rules.rule import RuleSet
from workbench.source.ownership import RESULT_NEEDED
from workbench.source.types import dtypes
from workbench.source.types.lattice import MIXED, PARAMETER, Tensor, Value
from workbench.source.uses import UseKind

rules = RuleSet()

# The operator and the exact helper.
_OPERATORS = {
    "add": ("+", "torch_add"),
    "sub": ("-", "torch_sub"),
    "mul": ("*", "torch_mul"),
    "truediv": ("/", "torch_div"),
}


def _rule(name: str) -> None:
    @rules.rule(f"torch.Tensor.__i{name}__")
    def in_place(match: Match) -> Outcome:
        _, helper = _OPERATORS[name]
        return changed_by(match, name, f"torch_inplace({helper}, {{self}}, {{other}})")


def changed_by(match: Match, name: str, by_tensor: str) -> Outcome:
    """Return how `x += y` is written.

    Args:
        match: the operator.
        name: of the operator: `add`, `sub`, `mul` or `truediv`.
        by_tensor: the template for a tensor `y`.
    """
    symbol, helper = _OPERATORS[name]
    if match.use.kind is not UseKind.AUGMENTED:
        return Rewrite(by_tensor)
    mine, other = match.use.receiver_value, match.value("other")
    if match.use.makers and _keeps_dtype(match, mine, other):
        return Keep()
    if isinstance(other, Tensor):
        if match.use.makers & RESULT_NEEDED:
            text = f"torch_inplace({helper}, {{self}}.clone(), {{other}})"
            return Rewrite(text, assigned=True)
        return Rewrite(by_tensor)
    if match.is_number("other") or name in {"add", "sub"}:
        return Rewrite(f"paddle.assign({{self}} {symbol} {{other}}, {{self}})")
    if isinstance(mine, Tensor) and PARAMETER in mine.states:  # torch forbids it in a graph
        return Rewrite(f"{{self}}.set_value({{self}} {symbol} {{other}})")
    return Keep(caveat="torch changes the tensor in place; here its name gets a new tensor")


def _keeps_dtype(match: Match, mine: Value, other: Value) -> bool:
    """Return whether the result, bound to the tensor's only name, keeps the tensor's dtype."""
    if not isinstance(mine, Tensor):
        return False
    kept = bool(match.use.makers & RESULT_NEEDED)
    if not isinstance(other, Tensor):
        return kept or dtypes.kind(mine.dtype) in {2, 3}
    if MIXED in mine.states | other.states:
        return False
    if other.dtype not in {None, dtypes.FLOATING} and other.dtype == mine.dtype:
        return True
    return kept and mine.dtype in dtypes.USUAL and not dtypes.differ(mine.dtype, other.dtype)


for _name in _OPERATORS:
    _rule(_name)
