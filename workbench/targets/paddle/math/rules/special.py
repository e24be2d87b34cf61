"""torch.special."""

from __future__ import annotations

from dataclasses import replace

from workbench.rules.family import Family, warns_of_dtype

rules = Family()


def _row(name: str, template: str) -> None:
    rules.row(f"torch.special.{name}", template, f"torch_out({template}, {{out}})")


for _name, _template in (
    ("digamma", "torch_digamma({input})"),
    ("psi", "torch_digamma({input})"),
    ("erf", "paddle.erf({input})"),
    ("erfc", "torch_erfc({input})"),
    ("erfinv", "torch_erfinv({input})"),
    ("exp2", "torch_exp2({input})"),
    ("expit", "paddle.sigmoid({input})"),
    ("expm1", "paddle.expm1({input})"),
    ("gammaln", "paddle.lgamma({input})"),
    ("i0", "paddle.i0({input})"),
    ("i0e", "torch_i0e({input})"),
    ("i1", "paddle.i1({input})"),
    ("i1e", "paddle.i1e({input})"),
    ("log1p", "paddle.log1p({input})"),
    ("sinc", "torch_sinc({input})"),
    ("modified_bessel_i0", "paddle.i0({input}.detach())"),
    ("modified_bessel_i1", "paddle.i1({input}.detach())"),
    ("entr", "torch_entr({input})"),
    ("ndtr", "torch_ndtr({input})"),
    ("log_ndtr", "torch_log_ndtr({input})"),
    ("ndtri", "torch_ndtri({input})"),
    ("erfcx", "torch_erfcx({input})"),
):
    _row(_name, _template)
_row("spherical_bessel_j0", "torch_spherical_bessel_j0({x})")
_row("round", "paddle.round({input}, decimals={decimals})")
_row("logit", "torch_logit({input}, eps={eps})")
_row("xlogy", "torch_xlogy({input}, {other})")
_row("xlog1py", "torch_xlog1py({input}, {other})")
_row("gammainc", "torch_gammainc({input}, {other})")
_row("gammaincc", "torch_gammaincc({input}, {other})")
_row("polygamma", "paddle.polygamma({input}, {n})")
_row("multigammaln", "paddle.multigammaln(torch_inexact({input}), {p})")
_row("logsumexp", "torch_logsumexp({input}, {dim}, keepdim={keepdim})")
for _name, _call in (
    ("softmax", "paddle.nn.functional.softmax({input}, axis={dim}, dtype={dtype})"),
    ("log_softmax", "torch_log_softmax({input}, {dim}, dtype={dtype})"),
):
    rules.row(f"torch.special.{_name}", _call)
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
    _row(_name, f"torch_polynomial({_kind}, {{x}}, {{n}})")
for _name, _kind in (("t", "'t'"), ("u", "'u'"), ("v", "'v'"), ("w", "'w'")):
    _row(
        f"shifted_chebyshev_polynomial_{_name}",
        f"torch_polynomial({_kind}, {{x}}, {{n}}, shifted=True)",
    )
# Between 5 and 7, torch's own results have errors of up to 2e-7; the helper's do not.
for _kind in "jy":
    for _order in (0, 1):
        _row(f"bessel_{_kind}{_order}", f"torch_bessel({_kind!r}, {_order}, {{input}})")
_SCALED_X = ("{input}", "{x}")
for _order in (0, 1):
    for _scaled in (False, True):
        _row(
            f"{'scaled_' if _scaled else ''}modified_bessel_k{_order}",
            f"torch_bessel_k({_order}, {_SCALED_X[_scaled]}{', scaled=True' if _scaled else ''})",
        )
_row("zeta", "torch_zeta({input}, {other})")
_row("airy_ai", "torch_airy_ai({x})")

# Those of order 0 and 1, and of the first and second kind.
rules.rules = [
    replace(
        rule,
        warns=warns_of_dtype(
            "float64", "between 5 and 7 torch's values have an error of 2e-7; these do not"
        ),
    )
    if rule.name.startswith("torch.special.bessel_")
    else rule
    for rule in rules.rules
]
