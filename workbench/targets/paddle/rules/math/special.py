"""torch.special."""

from __future__ import annotations

from dataclasses import replace

from workbench.rules.family import Family, told_of

rules = Family()


def _row(name: str, template: str, signature: str, cases: list[str]) -> None:
    rules.row(
        f"torch.special.{name}",
        template,
        f"torch_out({template}, {{out}})",
        signature=signature,
        cases=[case.replace("@", f"torch.special.{name}") for case in cases],
    )


_ONE = "(input, *, out=None)"
_TWO = "(input, other, *, out=None)"
for _name, _template, _on in (
    ("digamma", "torch_digamma({input})", "p"),
    ("psi", "torch_digamma({input})", "p"),
    ("erf", "paddle.erf({input})", "x"),
    ("erfc", "torch_erfc({input})", "x"),
    ("erfinv", "torch_erfinv({input})", "x"),
    ("exp2", "torch_exp2({input})", "x"),
    ("expit", "paddle.sigmoid({input})", "x"),
    ("expm1", "paddle.expm1({input})", "x"),
    ("gammaln", "paddle.lgamma({input})", "p"),
    ("i0", "paddle.i0({input})", "x"),
    ("i0e", "torch_i0e({input})", "x"),
    ("i1", "paddle.i1({input})", "x"),
    ("i1e", "paddle.i1e({input})", "x"),
    ("log1p", "paddle.log1p({input})", "p"),
    ("sinc", "torch_sinc({input})", "x"),
    ("modified_bessel_i0", "paddle.i0({input}.detach())", "x"),
    ("modified_bessel_i1", "paddle.i1({input}.detach())", "x"),
    ("entr", "torch_entr({input})", "x"),
    ("ndtr", "torch_ndtr({input})", "x"),
    ("log_ndtr", "torch_log_ndtr({input})", "x"),
    ("ndtri", "torch_ndtri({input})", "(p * 2 - 0.5)"),
    ("erfcx", "torch_erfcx({input})", "x"),
):
    _slope = ["@(w).sum().backward()\ng = w.grad"] if _name in {"entr", "ndtr", "sinc"} else []
    if _name == "ndtr":
        _slope.append("@(torch.tensor([-9.0, -5.0, 3.0])).log()")
    if _name in {"entr", "i0e"}:
        _slope = [
            "t = w.relu() * 2\n@(t).sum().backward()\ng = w.grad",
            "@(torch.tensor([-float('inf'), 0.0, float('inf'), float('nan')]))",
        ]
    _row(
        _name,
        _template,
        _ONE,
        [f"@({_on})", f"@(input={_on}.double())", *_slope, *(["@(i)"] if _name == "entr" else [])],
    )
_row(
    "spherical_bessel_j0",
    "torch_spherical_bessel_j0({x})",
    "(x, *, out=None)",
    ["@(x)", "@(torch.tensor([0.0, -float('inf'), float('nan')]))", "@(i)"],
)
_row(
    "round",
    "paddle.round({input}, decimals={decimals})",
    "(input, *, decimals=0, out=None)",
    ["@(x * 3)", "@(x, decimals=1)"],
)
_row(
    "logit",
    "torch_logit({input}, eps={eps})",
    "(input, eps=None, *, out=None)",
    [
        "@(p)",
        "@(x, eps=0.1)",
        "@(w).sum().backward()\ng = w.grad",
        "@(w.relu().clamp(max=1)).sum().backward()\ng = w.grad",
    ],
)
_EDGES = (
    "u = torch.tensor([0.0, 0.0, 2.0, 0.0], requires_grad=True)\n"
    "v = torch.tensor([0.0, -1.0, 3.0, 1.0], requires_grad=True)\n"
    "@(u, v).sum().backward()\ng, h = u.grad, v.grad"
)
_row("xlogy", "torch_xlogy({input}, {other})", _TWO, ["@(x, p)", "@(0, p)", "@(x, 2.0)", _EDGES])
_row(
    "xlog1py",
    "torch_xlog1py({input}, {other})",
    _TWO,
    ["@(x, p)", "@(torch.zeros(2), torch.tensor([-1.0, 2.0]))", _EDGES],
)
_row("gammainc", "torch_gammainc({input}, {other})", _TWO, ["@(p, p + 1)", "@(p[:, :1], p[0])"])
_row("gammaincc", "torch_gammaincc({input}, {other})", _TWO, ["@(p, p + 1)", "@(p[:, :1], p[0])"])
_row("polygamma", "paddle.polygamma({input}, {n})", "(n, input, *, out=None)", ["@(1, p)"])
_row(
    "multigammaln",
    "paddle.multigammaln(torch_inexact({input}), {p})",
    "(input, p, *, out=None)",
    ["@(p + 2, 3)", "@(i + 2, 2)"],
)
_row(
    "logsumexp",
    "torch_logsumexp({input}, {dim}, keepdim={keepdim})",
    "(input, dim, keepdim=False, *, out=None)",
    ["@(x, 1)", "@(x, dim=(0, 1), keepdim=True)", "@(img[None], 1)"],
)
for _name, _call in (
    ("softmax", "paddle.nn.functional.softmax({input}, axis={dim}, dtype={dtype})"),
    ("log_softmax", "torch_log_softmax({input}, {dim}, dtype={dtype})"),
):
    rules.row(
        f"torch.special.{_name}",
        _call,
        signature=f"(input, dim, {'' if _name == 'softmax' else '*, '}dtype=None)",
        cases=[
            *(["torch.special.softmax(x, 1, torch.float64)"] if _name == "softmax" else []),
            f"torch.special.{_name}(x, 1)",
            f"torch.special.{_name}(x, dim=0, dtype=torch.float64)",
        ],
    )
for _name, _kind in (
    ("chebyshev_polynomial_t", "'t'"),
    ("chebyshev_polynomial_u", "'u'"),
    ("chebyshev_polynomial_v", "'v'"),
    ("chebyshev_polynomial_w", "'w'"),
    ("hermite_polynomial_h", "'h'"),
    ("hermite_polynomial_he", "'he'"),
    ("laguerre_polynomial_l", "'l'"),
    ("legendre_polynomial_p", "'p'"),
):
    _row(
        _name,
        f"torch_polynomial({_kind}, {{x}}, {{n}})",
        "(x, n, *, out=None)",
        ["@(p, 3)", "@(p, n[:, None])", "@(x, torch.tensor(0))", "@(n=2, x=p)"],
    )
for _name, _kind in (("t", "'t'"), ("u", "'u'"), ("v", "'v'"), ("w", "'w'")):
    _row(
        f"shifted_chebyshev_polynomial_{_name}",
        f"torch_polynomial({_kind}, {{x}}, {{n}}, shifted=True)",
        "(x, n, *, out=None)",
        ["@(p, 3)", "@(p, n[:, None])", "@(i.to(torch.uint8), 3), @(2, n)"],
    )
# Between 5 and 7 torch's own are off by as much as 2e-7; the helper is not.
for _kind in "jy":
    for _order in (0, 1):
        _row(
            f"bessel_{_kind}{_order}",
            f"torch_bessel({_kind!r}, {_order}, {{input}})",
            _ONE,
            [
                "@(x * 20)",
                "@(torch.linspace(7.0, 60.0, 100, dtype=torch.float64))",
                "@(torch.linspace(0.0, 5.0, 50, dtype=torch.float64))",
                "@(torch.tensor([float('nan'), float('inf'), 0.0, -0.5]))",
            ],
        )
_SCALED_X = ("{input}", "{x}")
for _order in (0, 1):
    for _scaled in (False, True):
        _row(
            f"{'scaled_' if _scaled else ''}modified_bessel_k{_order}",
            f"torch_bessel_k({_order}, {_SCALED_X[_scaled]}{', scaled=True' if _scaled else ''})",
            "(x, *, out=None)" if _scaled else _ONE,
            [
                "@(p * 5)",
                "@(torch.linspace(0.01, 60.0, 100, dtype=torch.float64))",
                "@(torch.tensor([float('nan'), float('inf'), 0.0, -0.5]))",
            ],
        )
_row(
    "zeta",
    "torch_zeta({input}, {other})",
    _TWO,
    [
        "@(p * 5 + 1, p)",
        "@(d.abs() + 2, 3)",
        "@(2.5, p)",
        "@(torch.tensor([1.0, 0.5, 3.0]), 1.0)",
        "@(torch.tensor([3.0, 2.0, 2.5]), torch.tensor([-0.5, -2.0, -1.5]))",
        "u = torch.tensor([1.5, 2.5], requires_grad=True)\nr = @(3.0, u)\nr.sum().backward()\n"
        "g = u.grad\ns = @(u + 1, 2.0)",
    ],
)
_row(
    "airy_ai",
    "torch_airy_ai({x})",
    "(x, *, out=None)",
    [
        "@(x * 4)",
        "@(torch.linspace(-30, 30, 200))",
        "@(torch.linspace(-2, 9, 100).double())",
        "@(torch.linspace(-90, -2.2, 100).double())",
        "@(x=i)",
        "@(torch.tensor([0.0, float('nan'), float('inf'), 104.0]))",
    ],
)

# Of order 0 and 1, and of the first and second kind.
rules.rules = [
    replace(
        rule,
        warns=told_of(
            "float64", "between 5 and 7 torch's own values are off by 2e-7; these are not"
        ),
    )
    if rule.name.startswith("torch.special.bessel_")
    else rule
    for rule in rules.rules
]
