"""Functions of one tensor, value by value."""

from __future__ import annotations

from workbench.rules.family import Family, Simpler, subject
from workbench.rules.match import Match
from workbench.source.types import dtypes
from workbench.source.types.lattice import Tensor

rules = Family()

# Functions that give floating numbers whatever they are given.
_FLOATING = (
    "acos acosh asin asinh atan atanh cos cosh erf exp i0 lgamma log log10 log1p log2 reciprocal "
    "rsqrt sigmoid sin sinh sqrt tan tanh arccos arccosh arcsin arcsinh arctan arctanh deg2rad "
    "rad2deg expm1"
)


def _is_whole(match: Match) -> bool:
    """True for truth values and integers."""
    tensor = subject(match)
    return isinstance(tensor, Tensor) and dtypes.kind(tensor.dtype) in {0, 1}


def _is_narrow(match: Match) -> bool:
    """True for truth values and short integers, for which Paddle has few kernels."""
    tensor = subject(match)
    return isinstance(tensor, Tensor) and tensor.dtype in {"bool", "uint8", "int8", "int16"}


def _is_truth(match: Match) -> bool:
    tensor = subject(match)
    return isinstance(tensor, Tensor) and tensor.dtype == "bool"


def _is_byte(match: Match) -> bool:
    tensor = subject(match)
    return isinstance(tensor, Tensor) and tensor.dtype in {"uint8", "float16"}


def _has_no_kernel(match: Match) -> bool:
    """True for dtypes of which Paddle takes no absolute value on a CPU."""
    tensor = subject(match)
    return isinstance(tensor, Tensor) and tensor.dtype in {"uint8", "int8", "int16", "float16"}


def _is_narrow_or_complex(match: Match) -> bool:
    tensor = subject(match)
    return _is_narrow(match) or (isinstance(tensor, Tensor) and dtypes.kind(tensor.dtype) == 3)


def _widened(name: str, function: str) -> Simpler | None:
    """The function of narrow integers as numbers of the default dtype, as torch computes it."""
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


def _narrow_cases(name: str) -> list[str]:
    if name in {"abs", "absolute"}:
        return [f"t = (i - 3).to(torch.int8)\ntorch.{name}(t), t.half().{name}()"]
    if name == "square":
        return ["t = i > 1\ntorch.square(t), t.square()"]
    case = f"t = i > 0\nk = i.to(torch.uint8)\ntorch.{name}(t), t.{name}(), k.{name}()"
    if name == "rsqrt":
        case += ", torch.tensor([1 + 2j], dtype=torch.complex64).rsqrt()"
    if name == "erfc":
        case += ", torch.erfc(torch.tensor([torch.nan, torch.inf, -torch.inf]))"
    return [case] if name in [*_FLOATING.split(), "erfc"] else []


def _cases(name: str, on: str = "x") -> list[str]:
    return [
        f"torch.{name}({on})",
        f"{on}.{name}()",
        f"t = {on}.clone()\nr = t.{name}_()",
        f"torch.{name}(input={on}.double())",
        f"t = torch.zeros(3, 4)\ntorch.{name}({on}, out=t)",
        f"t = {on}.clone()\ntorch.{name}_(t)",
    ]


# Methods of the same name and meaning in Paddle, the in-place ones included.
_SAME = (
    ("abs", "x"),
    ("acos", "p"),
    ("acosh", "p + 1"),
    ("asin", "p"),
    ("asinh", "x"),
    ("atan", "x"),
    ("atanh", "p"),
    ("ceil", "x"),
    ("cos", "x"),
    ("cosh", "x"),
    ("erf", "x"),
    ("exp", "x"),
    ("floor", "x"),
    ("frac", "x"),
    ("lgamma", "p"),
    ("log", "p"),
    ("log10", "p"),
    ("log1p", "p"),
    ("log2", "p"),
    ("neg", "x"),
    ("reciprocal", "p"),
    ("rsqrt", "p"),
    ("sigmoid", "x"),
    ("sin", "x"),
    ("sinh", "x"),
    ("sqrt", "p"),
    ("square", "x"),
    ("tan", "x"),
    ("tanh", "x"),
    ("trunc", "x"),
    ("i0", "x"),
)
for _name, _on in _SAME:
    _on = f"({_on})" if " " in _on else _on
    rules.both(
        _name,
        f"paddle.{_name}({{input}})",
        keep=True,
        cases=[*_cases(_name, _on), *_narrow_cases(_name)],
        simpler=_widened(_name, f"paddle.{_name}"),
    )

_OTHER = (
    ("absolute", "paddle.abs", "x"),
    ("arccos", "paddle.acos", "p"),
    ("arccosh", "paddle.acosh", "(p + 1)"),
    ("arcsin", "paddle.asin", "p"),
    ("arcsinh", "paddle.asinh", "x"),
    ("arctan", "paddle.atan", "x"),
    ("arctanh", "paddle.atanh", "p"),
    ("deg2rad", "paddle.deg2rad", "x"),
    ("rad2deg", "paddle.rad2deg", "x"),
    ("erfc", "torch_erfc", "x"),
    ("digamma", "torch_digamma", "x"),
    ("erfinv", "torch_erfinv", "x"),
    ("exp2", "torch_exp2", "x"),
    ("expm1", "paddle.expm1", "x"),
    ("fix", "paddle.trunc", "x"),
    ("negative", "paddle.neg", "x"),
    ("sign", "torch_sign", "x"),
    ("sgn", "torch_sgn", "x"),
)
for _name, _function, _on in _OTHER:
    rules.both(
        _name,
        f"{_function}({{input}})",
        cases=[*_cases(_name, _on), *_narrow_cases(_name)],
        simpler=_widened(_name, _function),
    )
rules.both(
    "sinc",
    "torch_sinc({input})",
    cases=[
        *_cases("sinc"),
        "torch.sinc(i)",
        "m.sinc()",
        "torch.sinc(torch.tensor([0.0, torch.nan, torch.inf, 0.5]))",
        "t = x.clone()\nr = t.sinc_() is t",
    ],
)
rules.both(
    "signbit",
    "paddle.signbit({input})",
    cases=["torch.signbit(x)", "x.signbit()", "t = x > 0\ntorch.signbit(t), t.signbit()"],
    simpler=Simpler("paddle.zeros_like({input})", _is_truth),
)
rules.both("positive", "torch_positive({input})", cases=["torch.positive(x)", "x.positive()"])
rules.both(
    "round",
    "paddle.round({input}, {decimals})",
    "paddle.round({input}, decimals={decimals})",
    signature="(input, *, decimals=0, out=None)",
    cases=[
        "torch.round(x * 3)",
        "x.round()",
        "x.round(decimals=2)",
        "t = x.clone()\nt.round_()",
        "torch.round(torch.tensor([0.5, 1.5, 2.5]))",
    ],
)
rules.both(
    "relu",
    "torch_relu({input})",
    cases=[
        "torch.relu(x)",
        "x.relu()",
        "t = x.clone()\nt.relu_()",
        "torch.relu(torch.tensor([torch.nan, -1.0]))",
    ],
)
rules.both(
    "logit",
    "torch_logit({input}, eps={eps})",
    signature="(input, eps=None, *, out=None)",
    cases=["torch.logit(p)", "p.logit(0.3)", "x.logit(eps=1e-6)", "t = p.clone()\nt.logit_()"],
)
rules.both(
    "nan_to_num",
    "torch_nan_to_num({input}, {nan=0.0}, {posinf=None}, {neginf=None})",
    signature="(input, nan=0.0, posinf=None, neginf=None, *, out=None)",
    cases=[
        "torch.nan_to_num(torch.tensor([torch.nan, torch.inf, 1.0]))",
        "x.nan_to_num(nan=1.0)",
        "torch.nan_to_num(torch.tensor([torch.nan, -torch.inf]), neginf=-5.0)",
        "t = torch.tensor([torch.nan])\nt.nan_to_num_(2.0)",
        "torch.nan_to_num(torch.tensor([torch.nan, -torch.inf, torch.inf]).half())",
        "torch.tensor([complex(torch.nan, 1), complex(2, torch.inf)]).nan_to_num(0.5, 3.0)",
    ],
)
rules.both(
    "logical_not",
    "paddle.logical_not({input})",
    cases=[
        "torch.logical_not(m)",
        "i.logical_not()",
        "t = m.clone()\nt.logical_not_()",
        "t = (i - 1).to(torch.uint8)\ntorch.logical_not(t), t.logical_not()",
    ],
    simpler=Simpler("paddle.logical_not({input}.astype('bool'))", _is_byte),
)
rules.both(
    "bitwise_not",
    "paddle.bitwise_not({input})",
    cases=["torch.bitwise_not(m)", "i.bitwise_not()", "t = i.clone()\nt.bitwise_not_()"],
)
rules.both(
    "conj",
    "torch_conj({input})",
    cases=["torch.conj(x)", "x.conj()", "torch.conj(torch.tensor([1 + 2j]))"],
)
rules.both(
    "conj_physical",
    "torch_conj({input})",
    cases=[
        "torch.conj_physical(torch.tensor([1 + 2j]))",
        "x.conj_physical()",
        "t = x.clone()\nt.conj_physical_()",
    ],
)
rules.both("resolve_conj", "{input}", cases=["torch.resolve_conj(x)", "x.resolve_conj()"])
rules.both("resolve_neg", "{input}", cases=["torch.resolve_neg(x)", "x.resolve_neg()"])
rules.both(
    "angle",
    "paddle.angle(torch_inexact({input}))",
    cases=["torch.angle(torch.tensor([1 + 2j]))", "x.angle()", "(-i).angle()"],
)
rules.row(
    "torch.real",
    "torch_real({input})",
    cases=["torch.real(torch.tensor([1 + 2j]))", "torch.real(x)"],
)
rules.row("torch.imag", "paddle.imag({input})", cases=["torch.imag(torch.tensor([1 + 2j]))"])
rules.row(
    "torch.Tensor.real", "torch_real({self})", cases=["torch.tensor([1 + 2j]).real", "x.real"]
)
rules.row("torch.Tensor.imag", "paddle.imag({self})", cases=["torch.tensor([1 + 2j]).imag"])
rules.both(
    "polygamma",
    "paddle.polygamma({input}, {n})",
    signature="(n, input, *, out=None)",
    cases=[
        "torch.polygamma(1, p)",
        "t = p > 0\ntorch.polygamma(1, t), torch.polygamma(0, i.long())",
    ],
    simpler=Simpler("paddle.polygamma(torch_inexact({input}), {n})", _is_whole),
)
rules.rules = [r for r in rules.rules if not r.name.startswith("torch.Tensor.polygamma")]
rules.row("torch.Tensor.polygamma", "paddle.polygamma({self}, {n})", cases=["p.polygamma(2)"])
rules.row(
    "torch.Tensor.polygamma_",
    "torch_inplace(paddle.polygamma, {self}, {n})",
    cases=["t = p.clone()\nt.polygamma_(1)"],
)
rules.both(
    "mvlgamma",
    "paddle.multigammaln({input}, {p})",
    signature="(input, p, *, out=None)",
    cases=[
        "torch.mvlgamma(p + 1, 2)",
        "(p + 1).mvlgamma(p=2)",
        "t = p + 1\nt.mvlgamma_(2)",
        "t = i.long() + 3\ntorch.mvlgamma(t, 2), t.mvlgamma(1)",
        "k, f = [2], torch.mvlgamma\n(i + 3).mvlgamma(*k), f(i + 3, p=2)",
    ],
    simpler=Simpler("paddle.multigammaln(torch_inexact({input}), {p})", _is_whole),
)
rules.handed_on(
    {"torch.mvlgamma": "(lambda input, p: paddle.multigammaln(torch_inexact(input), p))"}
)
for _name in ("deg2rad", "rad2deg"):
    _of_any = f"paddle.{_name}(torch_inexact({{}}))"
    rules.handed_on({f"torch.{_name}": f"(lambda input: {_of_any.format('input')})"})
rules.unpacking(
    {
        "torch.Tensor.mvlgamma": "(lambda self, p: paddle.multigammaln(torch_inexact(self), p))"
        "({self}, ...)"
    }
)
for _name, _function in (("igamma", "gammainc"), ("igammac", "gammaincc")):
    rules.both(
        _name,
        f"torch_{_function}({{input}}, {{other}})",
        cases=[
            f"torch.{_name}(p, p + 1)",
            f"torch.{_name}(p[:, :1], p[0])",
            f"k = torch.tensor([0.0, 0.0, 2.5, -1.0])\ntorch.{_name}(k, k[[0, 2, 0, 2]])",
            f"torch.{_name}(torch.tensor([1, 2]), torch.tensor([0.5, 2]).double())",
            f"p.{_name}(p)",
            f"t = p.clone()\nt.{_name}_(p)",
        ],
    )
rules.both(
    "frexp",
    "torch_frexp({input})",
    cases=["torch.frexp(x)", "a, b = x.frexp()", "x.frexp().exponent"],
)

_CLAMP = "(input, min=None, max=None, *, out=None)"
for _name in ("clamp", "clip"):
    rules.both(
        _name,
        "torch_clamp({input}, min={min}, max={max})",
        signature=_CLAMP,
        cases=[
            f"torch.{_name}(x, -0.5, 0.5)",
            f"x.{_name}(min=0)",
            f"x.{_name}(max=0.3)",
            f"i.{_name}(1, 2)",
            f"x.{_name}(y, p)",
            f"torch.{_name}(x, max=y)",
            f"t = x.clone()\nt.{_name}_(0, 1)",
            f"i.{_name}(0.5)",
            f"t = x.clone()\nt.{_name}_(min=0.1)",
            f"w.{_name}(0, 1).sum().backward()\ng = w.grad",
            f"t = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)\n"
            f"t.{_name}(0, 2).sum().backward()\ng = t.grad",
            f"torch.{_name}(torch.tensor([torch.nan, torch.inf]), min=y[0, :2] * torch.nan)",
        ],
    )
for _name, _bound in (("clamp_min", "min"), ("clamp_max", "max")):
    rules.both(
        _name,
        f"torch_clamp({{input}}, {_bound}={{{_bound}}})",
        signature=f"(input, {_bound}, *, out=None)",
        cases=[
            f"torch.{_name}(x, 0.2)",
            f"x.{_name}(0)",
            f"t = x.clone()\nt.{_name}_(0.1)",
            f"x.{_name}(y)",
            f"k = [x, y]\ntorch.{_name}(*k)",
        ],
    )

for _name, _call in (
    ("softmax", "paddle.nn.functional.softmax({input}, axis={dim}, dtype={dtype})"),
    ("log_softmax", "torch_log_softmax({input}, {dim}, dtype={dtype})"),
):
    rules.both(
        _name,
        _call,
        signature="(input, dim, dtype=None, *, out=None)",
        cases=[
            f"torch.{_name}(x, 1)",
            f"x.{_name}(dim=-1)",
            f"torch.{_name}(x, dim=0, dtype=torch.float64)",
            f"a.{_name}(1)",
            f"torch.tensor([0.0, -80.0, float('-inf')]).{_name}(0)",
        ],
    )
