"""Functions of one tensor, value by value."""

from __future__ import annotations

from workbench.rules.family import Family, Simpler, subject
from workbench.rules.match import Match
from workbench.source.types import dtypes
from workbench.source.types.lattice import Tensor
from workbench.words import words

rules = Family()

# Functions whose result is always floating point.
_FLOATING = (
    "acos acosh asin asinh atan atanh cos cosh erf exp i0 lgamma log log10 log1p log2 reciprocal "
    "rsqrt sigmoid sin sinh sqrt tan tanh arccos arccosh arcsin arcsinh arctan arctanh deg2rad "
    "rad2deg expm1"
)


def _is_whole(match: Match) -> bool:
    """Return whether the tensor is known to hold bools or integers."""
    tensor = subject(match)
    return isinstance(tensor, Tensor) and dtypes.kind(tensor.dtype) in {0, 1}


def _is_narrow(match: Match) -> bool:
    """Return whether the tensor holds bools or short integers, for which Paddle has few kernels."""
    tensor = subject(match)
    return isinstance(tensor, Tensor) and tensor.dtype in {"bool", "uint8", "int8", "int16"}


def _is_truth(match: Match) -> bool:
    tensor = subject(match)
    return isinstance(tensor, Tensor) and tensor.dtype == "bool"


def _is_byte(match: Match) -> bool:
    tensor = subject(match)
    return isinstance(tensor, Tensor) and tensor.dtype in {"uint8", "float16"}


def _has_no_kernel(match: Match) -> bool:
    """Return whether Paddle has no absolute value of the dtype on a CPU."""
    tensor = subject(match)
    return isinstance(tensor, Tensor) and tensor.dtype in {"uint8", "int8", "int16", "float16"}


def _is_narrow_or_complex(match: Match) -> bool:
    tensor = subject(match)
    return _is_narrow(match) or (isinstance(tensor, Tensor) and dtypes.kind(tensor.dtype) == 3)


def _widened(name: str, function: str) -> Simpler | None:
    """Return the function for narrow integers, computed in the default dtype as in torch."""
    if name in {"abs", "absolute"}:
        return Simpler("torch_abs({input})", _has_no_kernel)
    if name == "rsqrt":
        return Simpler("torch_rsqrt({input})", _is_narrow_or_complex)
    if name == "square":
        return Simpler("paddle.square({input}.astype('int64'))", _is_truth)
    return (
        Simpler(f"{function}(torch_inexact({{input}}))", _is_narrow)
        if name in _FLOATING.split()
        else None
    )


# Methods with the same name and meaning in Paddle, including in-place ones.
_SAME = words(
    "abs acos acosh asin asinh atan atanh ceil cos cosh erf exp floor frac lgamma log log10 "
    "log1p log2 neg reciprocal rsqrt sigmoid sin sinh sqrt square tan tanh trunc i0"
)
for _name in _SAME:
    rules.both(
        _name, f"paddle.{_name}({{input}})", keep=True, simpler=_widened(_name, f"paddle.{_name}")
    )

_OTHER = (
    ("absolute", "paddle.abs"),
    ("arccos", "paddle.acos"),
    ("arccosh", "paddle.acosh"),
    ("arcsin", "paddle.asin"),
    ("arcsinh", "paddle.asinh"),
    ("arctan", "paddle.atan"),
    ("arctanh", "paddle.atanh"),
    ("deg2rad", "paddle.deg2rad"),
    ("rad2deg", "paddle.rad2deg"),
    ("erfc", "torch_erfc"),
    ("digamma", "torch_digamma"),
    ("erfinv", "torch_erfinv"),
    ("exp2", "torch_exp2"),
    ("expm1", "paddle.expm1"),
    ("fix", "paddle.trunc"),
    ("negative", "paddle.neg"),
    ("sign", "torch_sign"),
    ("sgn", "torch_sgn"),
)
for _name, _function in _OTHER:
    rules.both(_name, f"{_function}({{input}})", simpler=_widened(_name, _function))
rules.both("sinc", "torch_sinc({input})")
rules.both(
    "signbit", "paddle.signbit({input})", simpler=Simpler("paddle.zeros_like({input})", _is_truth)
)
rules.both("positive", "torch_positive({input})")
rules.both(
    "round", "paddle.round({input}, {decimals})", "paddle.round({input}, decimals={decimals})"
)
rules.both("relu", "torch_relu({input})")
rules.both("logit", "torch_logit({input}, eps={eps})")
rules.both("nan_to_num", "torch_nan_to_num({input}, {nan=0.0}, {posinf=None}, {neginf=None})")
rules.both(
    "logical_not",
    "paddle.logical_not({input})",
    simpler=Simpler("paddle.logical_not({input}.astype('bool'))", _is_byte),
)
rules.both("bitwise_not", "paddle.bitwise_not({input})")
rules.both("conj", "torch_conj({input})")
rules.both("conj_physical", "torch_conj({input})")
rules.both("resolve_conj", "{input}")
rules.both("resolve_neg", "{input}")
rules.both("angle", "paddle.angle(torch_inexact({input}))")
rules.row("torch.real", "torch_real({input})")
rules.row("torch.imag", "paddle.imag({input})")
rules.row("torch.Tensor.real", "torch_real({self})")
rules.row("torch.Tensor.imag", "paddle.imag({self})")
rules.both(
    "polygamma",
    "paddle.polygamma({input}, {n})",
    simpler=Simpler("paddle.polygamma(torch_inexact({input}), {n})", _is_whole),
)
rules.rules = [r for r in rules.rules if not r.name.startswith("torch.Tensor.polygamma")]
rules.row("torch.Tensor.polygamma", "paddle.polygamma({self}, {n})")
rules.row("torch.Tensor.polygamma_", "torch_inplace(paddle.polygamma, {self}, {n})")
rules.both(
    "mvlgamma",
    "paddle.multigammaln({input}, {p})",
    simpler=Simpler("paddle.multigammaln(torch_inexact({input}), {p})", _is_whole),
)
rules.as_values(
    {"torch.mvlgamma": "(lambda input, p: paddle.multigammaln(torch_inexact(input), p))"}
)
for _name in ("deg2rad", "rad2deg"):
    _of_any = f"paddle.{_name}(torch_inexact({{}}))"
    rules.as_values({f"torch.{_name}": f"(lambda input: {_of_any.format('input')})"})
rules.unpacking(
    {
        "torch.Tensor.mvlgamma": "(lambda self, p: paddle.multigammaln(torch_inexact(self), p))"
        "({self}, ...)"
    }
)
for _name, _function in (("igamma", "gammainc"), ("igammac", "gammaincc")):
    rules.both(_name, f"torch_{_function}({{input}}, {{other}})")
rules.both("frexp", "torch_frexp({input})")
for _name in ("clamp", "clip"):
    rules.both(_name, "torch_clamp({input}, min={min}, max={max})")
for _name, _bound in (("clamp_min", "min"), ("clamp_max", "max")):
    rules.both(_name, f"torch_clamp({{input}}, {_bound}={{{_bound}}})")

for _name, _call in (
    ("softmax", "paddle.nn.functional.softmax({input}, axis={dim}, dtype={dtype})"),
    ("log_softmax", "torch_log_softmax({input}, {dim}, dtype={dtype})"),
):
    rules.both(_name, _call)
