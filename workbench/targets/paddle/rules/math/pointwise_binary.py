"""Arithmetic and other functions of two tensors, or of a tensor and a number."""

from __future__ import annotations

from workbench.rules.family import Family
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.source.types import dtypes
from workbench.source.types.lattice import Plain, Tensor

rules = Family()

_TWO = "(input, other, *, out=None)"


def _same_kind(match: Match) -> bool:
    """True where Paddle's operator gives what torch's gives: same dtypes, or a fitting number."""
    method = match.use.receiver is not None
    first = match.use.receiver_value if method else match.value("input")
    second = match.value("other")
    if not isinstance(first, Tensor) or match.given("out", "alpha", "rounding_mode"):
        return False
    if isinstance(second, Plain) and second.kind in {"int", "float"}:
        return first.dtype != "bool"
    known = isinstance(second, Tensor) and dtypes.alike(first.dtype, second.dtype)
    return known and first.dtype not in {"bool", "uint8", "int8", "int16", "float16"}


def _operator(
    name: str, symbol: str, helper: str, signature: str, extra: str, cases: list[str]
) -> None:
    """`torch.add(x, 2)` is `x + 2`; tensors of unknown dtypes go through a helper."""
    arguments = f"{{input}}, {{other}}{extra}"

    def decide(match: Match) -> Outcome:
        first = "{self}" if match.use.receiver is not None else "{input}"
        if _same_kind(match):
            return Rewrite(
                f"{first} {symbol} {{other}}",
                consumed=frozenset({"alpha", "out", "rounding_mode"} & match.arguments.keys()),
            )
        text = f"{helper}({arguments.replace('{input}', first)})"
        return Rewrite(
            f"torch_out({text}, {{out}})" if match.given("out") else text,
            consumed=frozenset({"out"} & match.arguments.keys())
            if not match.given("out")
            else frozenset(),
        )

    function, method = f"torch.{name}", f"torch.Tensor.{name}"
    rules.rule(
        function,
        signature=signature,
        value=helper,
        cases=[c for c in cases if f"torch.{name}(" in c],
        unpacked=f"{helper}(...)",
    )(decide)
    inner = (
        signature.replace("input, ", "")
        .replace("*, out=None", "")
        .replace(", out=None", "")
        .replace(", )", ")")
    )
    rules.rule(
        method,
        signature=inner,
        unpacked=f"{helper}({{self}}, ...)",
        cases=[c for c in cases if f".{name}(" in c.replace(f"torch.{name}(", "")],
    )(decide)
    rules.row(
        f"{method}_",
        f"torch_inplace({helper}, {arguments.replace('{input}', '{self}')})",
        signature=inner,
        cases=[c for c in cases if f".{name}_(" in c],
    )


def _cases(name: str, *more: str) -> list[str]:
    return [
        f"torch.{name}(x, y)",
        f"torch.{name}(x, 2)",
        f"x.{name}(y)",
        f"i.{name}(x.abs() + 1)",
        f"torch.{name}(i, n[:, None] + 1)",
        f"x.{name}(1.5)",
        f"t = x.clone()\nr = t.{name}_(y)",
        f"t = x.clone()\nt[0].{name}_(2.0)",
        f"t = torch.zeros(3, 4)\nr = torch.{name}(x, y, out=t)",
        f"torch.{name}(d, x)",
        f"torch.{name}(input=x, other=y)",
        f"t = w * 2\nt.{name}_(3.0)\nt.sum().backward()\ng = w.grad",
        f"k = [y]\nx.{name}(*k), x.{name}(**{{'other': 2.0}})",
        f"_f = torch.{name}\nr = _f(x, 2), _f(input=x, other=y), [_g(x, other=i) for _g in [_f]]",
        *more,
    ]


_ALPHA = "(input, other, *, alpha=1, out=None)"
_operator(
    "add",
    "+",
    "torch_add",
    _ALPHA,
    ", alpha={alpha}",
    _cases(
        "add",
        "torch.add(x, y, alpha=2)",
        "x.add(y, alpha=-0.5)",
        "t = x.clone()\nt.add_(y, alpha=0.1)",
        "m.add(m)",
        "torch.add(x, 2, y)",
        "x.add(0.5, y)",
        "t = x.clone()\nt.add_(-2, y)",
    ),
)
for _name in ("sub", "subtract"):
    _operator(
        _name,
        "-",
        "torch_sub",
        _ALPHA,
        ", alpha={alpha}",
        _cases(_name, f"torch.{_name}(x, y, alpha=2)", f"t = x.clone()\nt.{_name}_(y, alpha=3)"),
    )
rules.formerly("add", "(input, alpha, other)")
rules.formerly("sub", "(input, alpha, other)")
for _name in ("mul", "multiply"):
    _operator(_name, "*", "torch_mul", _TWO, "", _cases(_name, f"m.{_name}(x)"))
for _name in ("div", "divide"):
    _operator(
        _name,
        "/",
        "torch_div",
        "(input, other, *, rounding_mode=None, out=None)",
        ", rounding_mode={rounding_mode}",
        _cases(
            _name,
            f"torch.{_name}(i, 2)",
            f"torch.{_name}(x, y, rounding_mode='floor')",
            f"i.{_name}(-2, rounding_mode='trunc')",
            f"x.{_name}(0.3, rounding_mode='trunc')",
            f"torch.{_name}(i, n[:, None] + 1, rounding_mode='floor')",
            f"t = x.clone()\nt.{_name}_(0.4, rounding_mode='floor')",
            f"t = i.to(torch.int8) + 1\nr = torch.{_name}(t - 7, t, rounding_mode='trunc')",
        ),
    )
_operator("true_divide", "/", "torch_div", _TWO, "", _cases("true_divide"))
rules.row(
    "torch.rsub",
    "torch_rsub({input}, {other}, alpha={alpha})",
    signature="(input, other, *, alpha=1)",
    cases=["torch.rsub(x, y)", "torch.rsub(x, 2)", "torch.rsub(x, y, alpha=2)"],
)

for _name, _helper in (
    ("floor_divide", "torch_floor_divide"),
    ("remainder", "torch_remainder"),
    ("fmod", "torch_fmod"),
    ("float_power", "torch_float_power"),
):
    _second = "exponent" if _name == "float_power" else "other"
    rules.both(
        _name,
        f"{_helper}({{input}}, {{{_second}}})",
        signature=_TWO.replace("other", _second),
        cases=[
            f"torch.{_name}(x.abs(), {_second}=y)"
            if _name == "float_power"
            else f"torch.{_name}(x, y)",
            f"torch.{_name}(i, 2)",
            f"i.{_name}(n[:, None] + 1)",
            f"x.abs().{_name}(0.7)",
            f"t = d.abs()\nt.{_name}_(1.5)",
        ]
        + (
            []
            if _name == "float_power"
            else [
                f"i.{_name}(-2)",
                f"(-x).{_name}(0.3)",
                f"torch.{_name}(x, -0.7)",
                f"t = x.clone()\nt.{_name}_(y)",
            ]
        ),
    )


def _power(match: Match) -> Outcome:
    """A power with a number that cannot make an integer negative is Paddle's operator."""
    first = "{self}" if match.use.receiver is not None else "{input}"
    exponent = match.constant("exponent")
    base = match.use.receiver_value if match.use.receiver is not None else match.value("input")
    simple = (
        isinstance(exponent, int | float)
        and not isinstance(exponent, bool)
        and isinstance(base, Tensor)
        and base.dtype not in {"uint8", "int8", "int16", "float16"}
    )
    if simple and exponent >= 0 and not match.given("out"):
        return Rewrite(
            f"{first} ** {{exponent}}", consumed=frozenset({"out"} & match.arguments.keys())
        )
    text = f"torch_pow({first}, {{exponent}})"
    return Rewrite(f"torch_out({text}, {{out}})" if match.given("out") else text)


_POW = [
    "torch.pow(x, 2)",
    "torch.pow(i, 2)",
    "torch.pow(x.abs(), y)",
    "torch.pow(torch.complex(w, y), w).abs().sum().backward()\ng = w.grad",
    "torch.pow(2, x)",
    "torch.pow(i, -1)",
    "torch.pow(torch.tensor([2, 1, -1, 0]), torch.tensor([-1, -2, -3, 0]))",
    "torch.pow(x, -1.0)",
    "torch.pow(input=x, exponent=3)",
    "torch.pow(self=2, exponent=x), torch.remainder(self=5, other=i + 1)",
    "torch.pow(i, 0.5)",
    "torch.pow(2.0, i)",
    "k, f = (x, 2), torch.pow\ntorch.pow(*k), f(x.abs(), exponent=y), torch.pow(**{'input': x, "
    "'exponent': 3})",
    "torch.pow(d, i)",
    "torch.pow(i.to(torch.uint8), 2)",
]
_POWER = "(lambda input, exponent: torch_pow(input, exponent))"
rules.rule(
    "torch.pow",
    signature="(input, exponent, *, out=None)",
    value=_POWER,
    unpacked=f"{_POWER}(...)",
    cases=_POW,
)(_power)
rules.rule(
    "torch.Tensor.pow",
    signature="(exponent)",
    unpacked="torch_pow({self}, ...)",
    cases=[
        "k = [2]\nx.pow(*k), x.pow(**{'exponent': 3})",
        "x.pow(2)",
        "x.abs().pow(0.5)",
        "i.pow(n[:, None])",
        "x.pow(exponent=2)",
        "w.pow(2).sum().backward()\ng = w.grad",
    ],
)(_power)
rules.row(
    "torch.Tensor.pow_",
    "torch_inplace(torch_pow, {self}, {exponent})",
    signature="(exponent)",
    cases=["t = x.clone()\nt.pow_(2)"],
)

# torch name, Paddle function, whether integers become floating.
_PAIRS = (
    ("atan2", "torch_atan2", True),
    ("arctan2", "torch_atan2", True),
    ("hypot", "paddle.hypot", True),
    ("copysign", "paddle.copysign", True),
    ("nextafter", "torch_next_number", True),
    ("logaddexp", "torch_logaddexp", True),
    ("heaviside", "paddle.heaviside", False),
    ("gcd", "paddle.gcd", False),
    ("lcm", "paddle.lcm", False),
    ("fmax", "paddle.fmax", False),
    ("fmin", "paddle.fmin", False),
)
_ENDLESS = [
    "t = torch.tensor([-torch.inf, torch.inf, torch.inf, -torch.inf, 1.0], requires_grad=True)\n"
    f"r = torch.{name}(t, torch.tensor([-torch.inf, torch.inf, 1.0, 2.0, torch.nan]))\n"
    "r[2:4].sum().backward()\ng = t.grad[2:4]"
    for name in ("logaddexp", "logaddexp2")
]
_ORIGIN = [
    "t = torch.tensor([0.0, 1.0, -0.0], requires_grad=True)\n"
    "u = torch.tensor([0.0, 0.0, -0.0], requires_grad=True)\n"
    "(torch.atan2(t, u) * x[0, :3]).sum().backward()\ng, h = t.grad, u.grad"
]
for _name, _function, _float in _PAIRS:
    _helper = "torch_binary_float" if _float else "torch_binary"
    _second = "values" if _name == "heaviside" else "other"
    _one, _two = ("i", "n[:, None]") if _name in {"gcd", "lcm"} else ("x", "y")
    rules.both(
        _name,
        f"{_helper}({{input}}, {{{_second}}}, {_function})",
        signature=_TWO.replace("other", _second),
        cases=[
            f"torch.{_name}({_one}, {_second}={_two})",
            f"{_one}.{_name}({_two})",
            f"t = {_one}.clone()\nt.{_name}_({_two})",
        ]
        + (
            []
            if _name in {"gcd", "lcm"}
            else [f"torch.{_name}(w, y).sum().backward()\ng = w.grad"]
            if _name == "nextafter"
            else [f"torch.{_name}(x, d)"]
            if _name not in {"nextafter", "heaviside"}
            else []
        )
        + (_ENDLESS if _name == "logaddexp" else [])
        + (["n.to(torch.uint8).copysign(-1)"] if _name == "copysign" else [])
        + (
            [f"t = torch.{_name}(m, x > 0)", f"m.{_name}(x < 0)"]
            if _name in {"fmax", "fmin", "heaviside"}
            else []
        )
        + (_ORIGIN if _name == "atan2" else []),
    )
for _name, _extra in (("maximum", ""), ("minimum", ", smaller=True")):
    rules.both(
        _name,
        f"torch_larger({{input}}, {{other}}{_extra})",
        signature=_TWO,
        cases=[
            f"torch.{_name}(x, y)",
            f"x.{_name}(d)",
            f"torch.{_name}(m, x > 0)",
            f"torch.{_name}(i, n[:, None])",
        ],
    )
rules.both(
    "logaddexp2",
    "torch_logaddexp2({input}, {other})",
    signature=_TWO,
    cases=["torch.logaddexp2(x, y)", "x.logaddexp2(y)", *_ENDLESS],
)
rules.both(
    "xlogy",
    "torch_xlogy({input}, {other})",
    signature=_TWO,
    cases=[
        "torch.xlogy(x, p)",
        "torch.xlogy(torch.zeros(2), torch.zeros(2))",
        "x.xlogy(2.0)",
        "torch.xlogy(2, p)",
        "torch.xlogy(w * torch.tensor([0.0, 1.0, 1.0, 0.0]), p).sum().backward()\ng = w.grad",
        "t = x.clone()\nt.xlogy_(p)",
    ],
)
rules.both(
    "ldexp",
    "torch_ldexp({input}, {other})",
    signature=_TWO,
    cases=["torch.ldexp(x, n[0])", "x.ldexp(i)", "t = x.clone()\nt.ldexp_(i)"],
)
rules.both(
    "lerp",
    "torch_lerp({input}, {end}, {weight})",
    signature="(input, end, weight, *, out=None)",
    cases=[
        "torch.lerp(x, y, 0.3)",
        "x.lerp(y, p)",
        "t = x.clone()\nt.lerp_(y, 0.9)",
        "torch.lerp(x, y, weight=0.5)",
    ],
)
for _name in ("addcmul", "addcdiv"):
    rules.both(
        _name,
        f"torch_{_name}({{input}}, {{tensor1}}, {{tensor2}}, {{value}})",
        signature="(input, tensor1, tensor2, *, value=1, out=None)",
        cases=[
            f"torch.{_name}(x, y, p)",
            f"x.{_name}(y, p, value=0.5)",
            f"t = x.clone()\nt.{_name}_(y, p, value=-2)",
            f"torch.{_name}(x, y, p, value=0.1)",
            f"torch.{_name}(x, 0.1, y, p)",
            *(
                ["def f(k):\n    return torch.addcmul(k, k, k, value=-0.5)\nf(i), f(i.int())"]
                if _name == "addcmul"
                else []
            ),
            f"x.{_name}(0.5, y, p)",
            f"t = x.clone()\nt.{_name}_(-2, y, p)",
        ],
    )
    rules.formerly(_name, "(input, value, tensor1, tensor2)")

# Bits and logic -------------------------------------------------------------------------------

for _name in (
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "bitwise_left_shift",
    "bitwise_right_shift",
):
    rules.both(
        _name,
        f"torch_binary({{input}}, {{other}}, paddle.{_name})",
        signature=_TWO,
        cases=[f"torch.{_name}(i, n[:, None])", f"i.{_name}(2)", f"t = i.clone()\nt.{_name}_(1)"]
        + ([f"torch.{_name}(m, x > 0)"] if "shift" not in _name else []),
    )
for _name in ("logical_and", "logical_or", "logical_xor"):
    rules.both(
        _name,
        f"torch_logical({{input}}, {{other}}, paddle.{_name})",
        signature=_TWO,
        cases=[
            f"torch.{_name}(m, x > 0)",
            f"m.{_name}(i)",
            f"t = m.clone()\nt.{_name}_(x > 0)",
            f"x.{_name}(i)",
        ],
    )
