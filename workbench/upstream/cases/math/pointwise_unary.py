"""Functions of one tensor, value by value."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    **alike(
        "torch",
        "abs absolute",
        "torch.{name}(x)",
        "torch.{name}(input=x.double())",
        "t = torch.zeros(3, 4)\ntorch.{name}(x, out=t)",
        "t = (i - 3).to(torch.int8)\ntorch.{name}(t), t.half().{name}()",
    ),
    "torch.Tensor.abs": (
        "x.abs()",
        "t = (i - 3).to(torch.int8)\ntorch.abs(t), t.half().abs()",
    ),
    **alike(
        "torch.Tensor",
        "abs_ square_ trunc_ absolute_ fix_",
        "t = x.clone()\nr = t.{name}()",
        "t = i.to(torch.int16)\nr = t.{name}()\nt = i.to(torch.int8)\nt.{name}()",
    ),
    **alike(
        "torch",
        "abs_ square_ trunc_ fix_ round_",
        "t = x.clone()\ntorch.{name}(t)",
        "t = i.to(torch.int16)\nr = torch.{name}(t)\nt = i.to(torch.int8)\ntorch.{name}(t)",
    ),
    **alike(
        "torch",
        "acos asin atanh lgamma log log10 log1p log2 reciprocal sqrt arccos arcsin arctanh",
        "torch.{name}(p)",
        "torch.{name}(input=p.double())",
        "t = torch.zeros(3, 4)\ntorch.{name}(p, out=t)",
        "t = i > 0\nk = i.to(torch.uint8)\ntorch.{name}(t), t.{name}(), k.{name}()",
    ),
    **alike(
        "torch.Tensor",
        "acos asin atanh lgamma log log10 log1p log2 reciprocal sqrt arccos arcsin arctanh",
        "p.{name}()",
        "t = i > 0\nk = i.to(torch.uint8)\ntorch.{name}(t), t.{name}(), k.{name}()",
    ),
    **alike(
        "torch.Tensor",
        "acos_ asin_ atanh_ lgamma_ log_ log10_ log1p_ log2_ reciprocal_ rsqrt_ "
        "sqrt_ arccos_ arcsin_ arctanh_",
        "t = p.clone()\nr = t.{name}()",
    ),
    **alike(
        "torch",
        "acos_ asin_ atanh_ log_ log10_ log1p_ log2_ reciprocal_ rsqrt_ sqrt_ "
        "arccos_ arcsin_ arctanh_ logit_",
        "t = p.clone()\ntorch.{name}(t)",
    ),
    **alike(
        "torch",
        "acosh arccosh",
        "torch.{name}((p + 1))",
        "torch.{name}(input=(p + 1).double())",
        "t = torch.zeros(3, 4)\ntorch.{name}((p + 1), out=t)",
        "t = i > 0\nk = i.to(torch.uint8)\ntorch.{name}(t), t.{name}(), k.{name}()",
    ),
    "torch.Tensor.acosh": (
        "(p + 1).acosh()",
        "t = i > 0\nk = i.to(torch.uint8)\ntorch.acosh(t), t.acosh(), k.acosh()",
    ),
    "torch.Tensor.acosh_": ("t = (p + 1).clone()\nr = t.acosh_()",),
    "torch.acosh_": ("t = (p + 1).clone()\ntorch.acosh_(t)",),
    **alike(
        "torch",
        "asinh atan cos cosh erf exp sigmoid sin sinh tan tanh i0 arcsinh arctan "
        "deg2rad rad2deg expm1",
        "torch.{name}(x)",
        "torch.{name}(input=x.double())",
        "t = torch.zeros(3, 4)\ntorch.{name}(x, out=t)",
        "t = i > 0\nk = i.to(torch.uint8)\ntorch.{name}(t), t.{name}(), k.{name}()",
    ),
    **alike(
        "torch.Tensor",
        "asinh atan cos cosh erf exp sigmoid sin sinh tan tanh i0 arcsinh arctan "
        "deg2rad rad2deg expm1",
        "x.{name}()",
        "t = i > 0\nk = i.to(torch.uint8)\ntorch.{name}(t), t.{name}(), k.{name}()",
    ),
    **alike(
        "torch.Tensor",
        "asinh_ atan_ ceil_ cos_ cosh_ erf_ exp_ floor_ frac_ neg_ sigmoid_ sin_ "
        "sinh_ tan_ tanh_ i0_ arcsinh_ arctan_ deg2rad_ rad2deg_ erfc_ digamma_ "
        "erfinv_ exp2_ expm1_ negative_ sign_ sgn_",
        "t = x.clone()\nr = t.{name}()",
    ),
    **alike(
        "torch",
        "asinh_ atan_ ceil_ cos_ cosh_ erf_ exp_ floor_ frac_ neg_ sigmoid_ sin_ "
        "sinh_ tan_ tanh_ i0_ arcsinh_ arctan_ deg2rad_ rad2deg_ erfc_ exp2_ "
        "expm1_ negative_ sinc_ conj_physical_",
        "t = x.clone()\ntorch.{name}(t)",
    ),
    **alike(
        "torch",
        "ceil floor frac neg digamma erfinv exp2 negative sign sgn",
        "torch.{name}(x)",
        "torch.{name}(input=x.double())",
        "t = torch.zeros(3, 4)\ntorch.{name}(x, out=t)",
    ),
    **alike(
        "torch.Tensor",
        "ceil floor frac neg digamma erfinv exp2 negative sign sgn positive relu "
        "conj conj_physical resolve_conj resolve_neg",
        "x.{name}()",
    ),
    "torch.rsqrt": (
        "torch.rsqrt(p)",
        "torch.rsqrt(input=p.double())",
        "t = torch.zeros(3, 4)\ntorch.rsqrt(p, out=t)",
        (
            "t = i > 0\nk = i.to(torch.uint8)\n"
            "torch.rsqrt(t), t.rsqrt(), k.rsqrt(), torch.tensor([1 + 2j], "
            "dtype=torch.complex64).rsqrt()"
        ),
    ),
    "torch.Tensor.rsqrt": (
        "p.rsqrt()",
        (
            "t = i > 0\nk = i.to(torch.uint8)\n"
            "torch.rsqrt(t), t.rsqrt(), k.rsqrt(), torch.tensor([1 + 2j], "
            "dtype=torch.complex64).rsqrt()"
        ),
    ),
    "torch.square": (
        "torch.square(x)",
        "torch.square(input=x.double())",
        "t = torch.zeros(3, 4)\ntorch.square(x, out=t)",
        "t = i > 1\ntorch.square(t), t.square()",
        "torch.square(i.to(torch.int8))",
    ),
    "torch.Tensor.square": (
        "x.square()",
        "t = i > 1\ntorch.square(t), t.square()",
        "i.to(torch.int16).square()",
    ),
    **alike(
        "torch",
        "trunc fix",
        "torch.{name}(x)",
        "torch.{name}(input=x.double())",
        "t = torch.zeros(3, 4)\ntorch.{name}(x, out=t)",
        "torch.{name}(i.to(torch.int8))",
    ),
    "torch.Tensor.trunc": (
        "x.trunc()",
        "i.to(torch.int16).trunc()",
    ),
    "torch.Tensor.absolute": (
        "x.absolute()",
        "t = (i - 3).to(torch.int8)\ntorch.absolute(t), t.half().absolute()",
    ),
    "torch.Tensor.arccosh": (
        "(p + 1).arccosh()",
        "t = i > 0\nk = i.to(torch.uint8)\ntorch.arccosh(t), t.arccosh(), k.arccosh()",
    ),
    "torch.Tensor.arccosh_": ("t = (p + 1).clone()\nr = t.arccosh_()",),
    "torch.arccosh_": ("t = (p + 1).clone()\ntorch.arccosh_(t)",),
    "torch.erfc": (
        "torch.erfc(x)",
        "torch.erfc(input=x.double())",
        "t = torch.zeros(3, 4)\ntorch.erfc(x, out=t)",
        (
            "t = i > 0\nk = i.to(torch.uint8)\n"
            "torch.erfc(t), t.erfc(), k.erfc(), torch.erfc(torch.tensor([torch.nan, "
            "torch.inf, -torch.inf]))"
        ),
    ),
    "torch.Tensor.erfc": (
        "x.erfc()",
        (
            "t = i > 0\nk = i.to(torch.uint8)\n"
            "torch.erfc(t), t.erfc(), k.erfc(), torch.erfc(torch.tensor([torch.nan, "
            "torch.inf, -torch.inf]))"
        ),
    ),
    "torch.Tensor.fix": (
        "x.fix()",
        "i.to(torch.int16).fix()",
    ),
    "torch.sinc": (
        "torch.sinc(x)",
        "torch.sinc(input=x.double())",
        "t = torch.zeros(3, 4)\ntorch.sinc(x, out=t)",
        "torch.sinc(i)",
        "torch.sinc(torch.tensor([0.0, torch.nan, torch.inf, 0.5]))",
    ),
    "torch.Tensor.sinc": (
        "x.sinc()",
        "m.sinc()",
    ),
    "torch.Tensor.sinc_": (
        "t = x.clone()\nr = t.sinc_()",
        "t = x.clone()\nr = t.sinc_() is t",
    ),
    "torch.signbit": (
        "torch.signbit(x)",
        "t = x > 0\ntorch.signbit(t), t.signbit()",
    ),
    "torch.Tensor.signbit": (
        "x.signbit()",
        "t = x > 0\ntorch.signbit(t), t.signbit()",
    ),
    **alike("torch", "positive resolve_conj resolve_neg frexp", "torch.{name}(x)"),
    "torch.round": (
        "torch.round(x * 3)",
        "torch.round(torch.tensor([0.5, 1.5, 2.5]))",
        "torch.round(i.to(torch.int8))",
    ),
    "torch.Tensor.round": (
        "x.round()",
        "x.round(decimals=2)",
        "i.to(torch.int16).round()",
    ),
    "torch.Tensor.round_": (
        "t = x.clone()\nt.round_()",
        "t = i.to(torch.int16)\nr = t.round_()\nt = i.to(torch.int8)\nt.round_()",
    ),
    "torch.relu": (
        "torch.relu(x)",
        "torch.relu(torch.tensor([torch.nan, -1.0]))",
    ),
    "torch.Tensor.relu_": ("t = x.clone()\nt.relu_()",),
    "torch.logit": ("torch.logit(p)",),
    "torch.Tensor.logit": (
        "p.logit(0.3)",
        "x.logit(eps=1e-6)",
    ),
    "torch.Tensor.logit_": ("t = p.clone()\nt.logit_()",),
    "torch.nan_to_num": (
        "torch.nan_to_num(torch.tensor([torch.nan, torch.inf, 1.0]))",
        "torch.nan_to_num(torch.tensor([torch.nan, -torch.inf]), neginf=-5.0)",
        "torch.nan_to_num(torch.tensor([torch.nan, -torch.inf, torch.inf]).half())",
    ),
    "torch.Tensor.nan_to_num": (
        "x.nan_to_num(nan=1.0)",
        "torch.tensor([complex(torch.nan, 1), complex(2, torch.inf)]).nan_to_num(0.5, 3.0)",
    ),
    "torch.Tensor.nan_to_num_": ("t = torch.tensor([torch.nan])\nt.nan_to_num_(2.0)",),
    "torch.nan_to_num_": ("t = torch.tensor([torch.nan])\ntorch.nan_to_num_(t, 2.0)",),
    "torch.logical_not": (
        "torch.logical_not(m)",
        "t = (i - 1).to(torch.uint8)\ntorch.logical_not(t), t.logical_not()",
    ),
    "torch.Tensor.logical_not": (
        "i.logical_not()",
        "t = (i - 1).to(torch.uint8)\ntorch.logical_not(t), t.logical_not()",
    ),
    "torch.Tensor.logical_not_": ("t = m.clone()\nt.logical_not_()",),
    "torch.bitwise_not": ("torch.bitwise_not(m)",),
    "torch.Tensor.bitwise_not": ("i.bitwise_not()",),
    "torch.Tensor.bitwise_not_": ("t = i.clone()\nt.bitwise_not_()",),
    "torch.conj": (
        "torch.conj(x)",
        "torch.conj(torch.tensor([1 + 2j]))",
    ),
    **alike("torch", "conj_physical angle imag", "torch.{name}(torch.tensor([1 + 2j]))"),
    "torch.Tensor.conj_physical_": ("t = x.clone()\nt.conj_physical_()",),
    "torch.Tensor.angle": (
        "x.angle()",
        "(-i).angle()",
    ),
    "torch.real": (
        "torch.real(torch.tensor([1 + 2j]))",
        "torch.real(x)",
    ),
    "torch.Tensor.real": (
        "torch.tensor([1 + 2j]).real",
        "x.real",
    ),
    "torch.Tensor.imag": ("torch.tensor([1 + 2j]).imag",),
    "torch.polygamma": (
        "torch.polygamma(1, p)",
        "t = p > 0\ntorch.polygamma(1, t), torch.polygamma(0, i.long())",
    ),
    "torch.Tensor.polygamma": ("p.polygamma(2)",),
    "torch.Tensor.polygamma_": ("t = p.clone()\nt.polygamma_(1)",),
    "torch.mvlgamma": (
        "torch.mvlgamma(p + 1, 2)",
        "t = i.long() + 3\ntorch.mvlgamma(t, 2), t.mvlgamma(1)",
    ),
    "torch.Tensor.mvlgamma": (
        "(p + 1).mvlgamma(p=2)",
        "t = i.long() + 3\ntorch.mvlgamma(t, 2), t.mvlgamma(1)",
        "k, f = [2], torch.mvlgamma\n(i + 3).mvlgamma(*k), f(i + 3, p=2)",
    ),
    "torch.Tensor.mvlgamma_": ("t = p + 1\nt.mvlgamma_(2)",),
    **alike(
        "torch",
        "igamma igammac",
        "torch.{name}(p, p + 1)",
        "torch.{name}(p[:, :1], p[0])",
        "k = torch.tensor([0.0, 0.0, 2.5, -1.0])\ntorch.{name}(k, k[[0, 2, 0, 2]])",
        "torch.{name}(torch.tensor([1, 2]), torch.tensor([0.5, 2]).double())",
    ),
    "torch.Tensor.igamma": ("p.igamma(p)",),
    "torch.Tensor.igamma_": ("t = p.clone()\nt.igamma_(p)",),
    "torch.Tensor.igammac": ("p.igammac(p)",),
    "torch.Tensor.igammac_": ("t = p.clone()\nt.igammac_(p)",),
    "torch.Tensor.frexp": (
        "a, b = x.frexp()",
        "x.frexp().exponent",
    ),
    **alike(
        "torch",
        "clamp clip",
        "torch.{name}(x, -0.5, 0.5)",
        "torch.{name}(x, max=y)",
        "torch.{name}(torch.tensor([torch.nan, torch.inf]), min=y[0, :2] * torch.nan)",
    ),
    **alike(
        "torch.Tensor",
        "clamp clip",
        "x.{name}(min=0)",
        "x.{name}(max=0.3)",
        "i.{name}(1, 2)",
        "x.{name}(y, p)",
        "i.{name}(0.5)",
        "w.{name}(0, 1).sum().backward()\ng = w.grad",
        (
            "t = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)\n"
            "t.{name}(0, 2).sum().backward()\ng = t.grad"
        ),
    ),
    "torch.Tensor.clamp_": (
        "t = x.clone()\nt.clamp_(0, 1)",
        "t = x.clone()\nt.clamp_(min=0.1)",
    ),
    "torch.clamp_": (
        "t = x.clone()\ntorch.clamp_(t, 0, 1)",
        "t = x.clone()\ntorch.clamp_(t, min=0.1)",
    ),
    "torch.Tensor.clip_": (
        "t = x.clone()\nt.clip_(0, 1)",
        "t = x.clone()\nt.clip_(min=0.1)",
    ),
    "torch.clip_": (
        "t = x.clone()\ntorch.clip_(t, 0, 1)",
        "t = x.clone()\ntorch.clip_(t, min=0.1)",
    ),
    "torch.clamp_min": (
        "torch.clamp_min(x, 0.2)",
        "k = [x, y]\ntorch.clamp_min(*k)",
    ),
    "torch.Tensor.clamp_min": (
        "x.clamp_min(0)",
        "x.clamp_min(y)",
    ),
    "torch.Tensor.clamp_min_": ("t = x.clone()\nt.clamp_min_(0.1)",),
    "torch.clamp_min_": ("t = x.clone()\ntorch.clamp_min_(t, 0.1)",),
    "torch.clamp_max": (
        "torch.clamp_max(x, 0.2)",
        "k = [x, y]\ntorch.clamp_max(*k)",
    ),
    "torch.Tensor.clamp_max": (
        "x.clamp_max(0)",
        "x.clamp_max(y)",
    ),
    "torch.Tensor.clamp_max_": ("t = x.clone()\nt.clamp_max_(0.1)",),
    "torch.clamp_max_": ("t = x.clone()\ntorch.clamp_max_(t, 0.1)",),
    "torch.softmax": (
        "torch.softmax(x, 1)",
        "torch.softmax(x, dim=0, dtype=torch.float64)",
    ),
    **alike(
        "torch.Tensor",
        "softmax log_softmax",
        "x.{name}(dim=-1)",
        "a.{name}(1)",
        "torch.tensor([0.0, -80.0, float('-inf')]).{name}(0)",
    ),
    "torch.log_softmax": (
        "torch.log_softmax(x, 1)",
        "torch.log_softmax(x, dim=0, dtype=torch.float64)",
    ),
}
