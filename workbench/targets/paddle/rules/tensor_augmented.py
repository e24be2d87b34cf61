"""`x += y` and its like: torch changes the tensor itself, where Paddle binds the name anew."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.rules.rule import RuleSet
from workbench.source import dtypes
from workbench.source.uses import UseKind
from workbench.source.values import Tensor

rules = RuleSet()

# The operator, Paddle's method that changes a tensor by another, and the exact helper.
_OPERATORS = {
    "add": ("+", "add_", "torch_add"),
    "sub": ("-", "subtract_", "torch_sub"),
    "mul": ("*", "multiply_", "torch_mul"),
    "truediv": ("/", "divide_", "torch_div"),
}


def _rule(name: str) -> None:
    symbol, method, helper = _OPERATORS[name]

    @rules.rule(
        f"torch.Tensor.__i{name}__",
        signature="(other)",
        cases=[
            f"t = x.clone()\nt.__i{name}__(2)\nr = t",
            f"t = x.clone()\nalias = t\nt {symbol}= p\nt {symbol}= 2\nr = alias",
            f"t = w * 2\nt {symbol}= p\nt.sum().backward()\ng = w.grad",
        ],
    )
    def in_place(match: Match) -> Outcome:
        exact = Rewrite(f"torch_inplace({helper}, {{self}}, {{other}})")
        if match.use.kind is not UseKind.AUGMENTED:
            return exact
        mine, other = match.use.receiver_value, match.value("other")
        if isinstance(other, Tensor):
            mixed = isinstance(mine, Tensor) and dtypes.differ(mine.dtype, other.dtype)
            return exact if mixed else Rewrite(f"{{self}}.{method}({{other}})")
        if match.is_number("other") or name in {"add", "sub"}:
            return Rewrite(f"paddle.assign({{self}} {symbol} {{other}}, {{self}})")
        return Keep(caveat="torch changes the tensor itself; here its name is bound to a new one")


for _name in _OPERATORS:
    _rule(_name)
