"""Comparisons between tensors."""

from __future__ import annotations

from workbench.rules.family import Family
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.source.types import dtypes
from workbench.source.types.lattice import Plain, Tensor

rules = Family()

_TWO = "(input, other, *, out=None)"
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
        signature=_TWO,
        cases=[
            f"torch.{_name}(x, y)",
            f"torch.{_name}(x, 0.5)",
            f"torch.{_name}(i, x)",
            f"torch.{_name}(i, n[:, None])",
            f"_f = torch.{_name}\nr = _f(x, 0.5), _f(input=x, other=y), [_g(x, i) for _g in [_f]]",
        ],
        unpacked=f"(lambda input, other: torch_compare(input, other, paddle.{_function}))(...)",
    )(decide)
    rules.rule(
        f"torch.Tensor.{_name}",
        signature="(other)",
        unpacked=f"(lambda self, other: torch_compare(self, other, paddle.{_function}))"
        "({self}, ...)",
        cases=[
            f"k = [y]\nx.{_name}(*k), x.{_name}(**{{'other': 0.5}})",
            f"x.{_name}(y)",
            f"i.{_name}(1)",
            f"x.{_name}(other=0)",
            f"m.{_name}(x > 0)",
            f"i.{_name}(0.5)",
        ],
    )(decide)
    rules.row(
        f"torch.Tensor.{_name}_",
        f"torch_inplace(torch_compare, {{self}}, {{other}}, paddle.{_function})",
        signature="(other)",
        cases=[f"t = x.clone()\nt.{_name}_(0.0)"],
    )

rules.both(
    "equal",
    "torch_equal({input}, {other})",
    cases=["torch.equal(x, x.clone())", "x.equal(y)", "torch.equal(x, x[:2])"],
)
_CLOSE = "(input, other, rtol=1e-05, atol=1e-08, equal_nan=False)"
rules.both(
    "allclose",
    "bool(torch_isclose({input}, {other}, {rtol=1e-05}, {atol=1e-08}, {equal_nan=False}).all())",
    signature=_CLOSE,
    cases=[
        "torch.allclose(x, x + 1e-9)",
        "x.allclose(y)",
        "torch.allclose(x, y, atol=10)",
        "torch.allclose(x, y[0], 1e-3, 1e-3)",
    ],
)
rules.both(
    "isclose",
    "torch_isclose({input}, {other}, {rtol=1e-05}, {atol=1e-08}, {equal_nan=False})",
    signature=_CLOSE,
    cases=["torch.isclose(x, y, atol=1.0)", "x.isclose(x)", "torch.isclose(i, i)"],
)
rules.row(
    "torch.isin",
    "torch_isin({elements}, {test_elements}, invert={invert})",
    signature="(elements, test_elements, *, assume_unique=False, invert=False)",
    ignored={"assume_unique": "a promise that makes the search faster"},
    cases=[
        "torch.isin(i, torch.tensor([1, 3]))",
        "torch.isin(i, 2)",
        "torch.isin(i, n, invert=True)",
    ],
)
rules.both(
    "isneginf",
    "paddle.isneginf({input})",
    cases=["torch.isneginf(torch.tensor([1.0, -torch.inf]))", "x.isneginf()"],
)
rules.both(
    "isposinf",
    "paddle.isposinf({input})",
    cases=["torch.isposinf(torch.tensor([1.0, torch.inf]))", "x.isposinf()"],
)
for _name in ("isnan", "isinf", "isfinite"):
    rules.both(
        _name,
        f"paddle.{_name}({{input}})",
        keep=True,
        cases=[
            f"torch.{_name}(torch.tensor([1.0, torch.nan, torch.inf]))",
            f"x.{_name}()",
            f"i.{_name}()",
        ],
    )
rules.both("isreal", "paddle.isreal({input})", cases=["torch.isreal(x)", "x.isreal()"])
rules.both(
    "is_nonzero",
    "torch_is_nonzero({input})",
    signature="(input)",
    cases=[
        "t = torch.tensor([1, 3])\ntry:\n    torch.is_nonzero(t)\nexcept RuntimeError:\n    r = 1",
        "torch.is_nonzero(torch.tensor(2.0))",
        "x[0, 0].is_nonzero()",
        "t = torch.tensor(-3)\ntorch.is_nonzero(t), t.is_nonzero(), (t < 0).is_nonzero()",
    ],
)
rules.both(
    "is_same_size",
    "{input}.shape == {other}.shape",
    signature="(input, other)",
    cases=["x.is_same_size(y)", "torch.is_same_size(x, a)"],
)
rules.both(
    "is_signed",
    "torch_is_signed({input}.dtype)",
    signature="(input)",
    cases=["torch.is_signed(x)", "i.is_signed()", "m.is_signed()"],
)
