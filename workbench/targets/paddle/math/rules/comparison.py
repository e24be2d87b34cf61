"""Comparisons between tensors."""

from __future__ import annotations

from workbench.rules.family import Family
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.source.types import dtypes
from workbench.source.types.lattice import Plain, Tensor

rules = Family()
_NAMES = {
    "eq": ("==", "equal"),
    "ne": ("!=", "not_equal"),
    "lt": ("<", "less_than"),
    "le": ("<=", "less_equal"),
    "gt": (">", "greater_than"),
    "ge": (">=", "greater_equal"),
    "not_equal": ("!=", "not_equal"),
    "less": ("<", "less_than"),
    "less_equal": ("<=", "less_equal"),
    "greater": (">", "greater_than"),
    "greater_equal": (">=", "greater_equal"),
}


for _name, (_symbol, _function) in _NAMES.items():

    def decide(match: Match, symbol: str = _symbol, function: str = _function) -> Outcome:
        method = match.use.receiver is not None
        first = "{self}" if method else "{input}"
        value = match.use.receiver_value if method else match.value("input")
        other = match.value("other")
        number = isinstance(other, Plain) and other.kind in {"int", "float"}
        same = (
            isinstance(other, Tensor)
            and isinstance(value, Tensor)
            and dtypes.alike(value.dtype, other.dtype)
        )
        if (
            isinstance(value, Tensor)
            and (number or same)
            and value.dtype != "bool"
            and not match.given("out")
        ):
            return Rewrite(
                f"{first} {symbol} {{other}}", consumed=frozenset({"out"} & match.arguments.keys())
            )
        text = f"torch_compare({first}, {{other}}, paddle.{function})"
        return Rewrite(f"torch_out({text}, {{out}})" if match.given("out") else text)

    rules.rule(
        f"torch.{_name}",
        unpacked=f"(lambda input, other: torch_compare(input, other, paddle.{_function}))(...)",
    )(decide)
    rules.rule(
        f"torch.Tensor.{_name}",
        unpacked=f"(lambda self, other: torch_compare(self, other, paddle.{_function}))"
        "({self}, ...)",
    )(decide)
    rules.row(
        f"torch.Tensor.{_name}_",
        f"torch_inplace(torch_compare, {{self}}, {{other}}, paddle.{_function})",
    )

rules.both("equal", "torch_equal({input}, {other})")
rules.both(
    "allclose",
    "bool(paddle.all(torch_isclose("
    "{input}, {other}, {rtol=1e-05}, {atol=1e-08}, {equal_nan=False})))",
)
rules.both(
    "isclose", "torch_isclose({input}, {other}, {rtol=1e-05}, {atol=1e-08}, {equal_nan=False})"
)
rules.row(
    "torch.isin",
    "torch_isin({elements}, {test_elements}, invert={invert})",
    ignored={"assume_unique": "it affects only speed"},
)
rules.both("isneginf", "paddle.isneginf({input})")
rules.both("isposinf", "paddle.isposinf({input})")
for _name in ("isnan", "isinf", "isfinite"):
    rules.both(_name, f"paddle.{_name}({{input}})", keep=True)
rules.both("isreal", "paddle.isreal({input})")
rules.both("is_nonzero", "torch_is_nonzero({input})")
rules.both("is_same_size", "{input}.shape == {other}.shape")
rules.both("is_signed", "torch_is_signed({input}.dtype)")
