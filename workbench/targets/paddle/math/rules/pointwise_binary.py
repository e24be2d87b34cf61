"""Arithmetic and other functions of two tensors, or of a tensor and a number."""

from __future__ import annotations

from workbench.rules.family import Family
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.source.types import dtypes
from workbench.source.types.lattice import Plain, Tensor

rules = Family()


def _same_kind(match: Match) -> bool:
    """Return whether Paddle's operator gives torch's result: same dtypes, or a fitting number."""
    method = match.use.receiver is not None
    first = match.use.receiver_value if method else match.value("input")
    second = match.value("other")
    if not isinstance(first, Tensor) or match.given("out", "alpha", "rounding_mode"):
        return False
    if isinstance(second, Plain) and second.kind in {"int", "float"}:
        return first.dtype != "bool"
    known = isinstance(second, Tensor) and dtypes.alike(first.dtype, second.dtype)
    return known and first.dtype not in {"bool", "uint8", "int8", "int16", "float16"}


def _operator(name: str, symbol: str, helper: str, extra: str) -> None:
    """Write `x + 2` for `torch.add(x, 2)`, and a helper for tensors of unknown dtypes."""
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
    rules.rule(function, value=helper, unpacked=f"{helper}(...)")(decide)
    rules.rule(method, unpacked=f"{helper}({{self}}, ...)")(decide)
    rules.row(f"{method}_", f"torch_inplace({helper}, {arguments.replace('{input}', '{self}')})")


_operator("add", "+", "torch_add", ", alpha={alpha}")
for _name in ("sub", "subtract"):
    _operator(_name, "-", "torch_sub", ", alpha={alpha}")
rules.legacy("add", "(input, alpha, other)")
rules.legacy("sub", "(input, alpha, other)")
for _name in ("mul", "multiply"):
    _operator(_name, "*", "torch_mul", "")
for _name in ("div", "divide"):
    _operator(_name, "/", "torch_div", ", rounding_mode={rounding_mode}")
_operator("true_divide", "/", "torch_div", "")
rules.row("torch.rsub", "torch_rsub({input}, {other}, alpha={alpha})")

for _name, _helper in (
    ("floor_divide", "torch_floor_divide"),
    ("remainder", "torch_remainder"),
    ("fmod", "torch_fmod"),
    ("float_power", "torch_float_power"),
):
    _second = "exponent" if _name == "float_power" else "other"
    rules.both(_name, f"{_helper}({{input}}, {{{_second}}})")


def _power(match: Match) -> Outcome:
    """Write Paddle's operator for exponents that keep integers integral, else a helper."""
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


_POWER = "(lambda input, exponent: torch_pow(input, exponent))"
rules.rule("torch.pow", value=_POWER, unpacked=f"{_POWER}(...)")(_power)
rules.rule("torch.Tensor.pow", unpacked="torch_pow({self}, ...)")(_power)
rules.row("torch.Tensor.pow_", "torch_inplace(torch_pow, {self}, {exponent})")

# torch's name, Paddle's function, whether integers become floats.
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
for _name, _function, _float in _PAIRS:
    _helper = "torch_binary_float" if _float else "torch_binary"
    _second = "values" if _name == "heaviside" else "other"
    rules.both(_name, f"{_helper}({{input}}, {{{_second}}}, {_function})")
for _name, _extra in (("maximum", ""), ("minimum", ", smaller=True")):
    rules.both(_name, f"torch_larger({{input}}, {{other}}{_extra})")
rules.both("logaddexp2", "torch_logaddexp2({input}, {other})")
rules.both("xlogy", "torch_xlogy({input}, {other})")
rules.both("ldexp", "torch_ldexp({input}, {other})")
rules.both("lerp", "torch_lerp({input}, {end}, {weight})")
for _name in ("addcmul", "addcdiv"):
    rules.both(_name, f"torch_{_name}({{input}}, {{tensor1}}, {{tensor2}}, {{value}})")
    rules.legacy(_name, "(input, value, tensor1, tensor2)")

# Bits and logic -------------------------------------------------------------------------------

for _name in (
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "bitwise_left_shift",
    "bitwise_right_shift",
):
    rules.both(_name, f"torch_binary({{input}}, {{other}}, paddle.{_name})")
for _name in ("logical_and", "logical_or", "logical_xor"):
    rules.both(_name, f"torch_logical({{input}}, {{other}}, paddle.{_name})")
