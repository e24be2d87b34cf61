"""torch._foreach_*: one operation on each tensor of a list."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    **alike(
        "torch",
        "_foreach_abs _foreach_abs_ _foreach_acos _foreach_acos_ _foreach_asin "
        "_foreach_asin_ _foreach_atan _foreach_atan_ _foreach_ceil _foreach_ceil_ "
        "_foreach_cos _foreach_cos_ _foreach_cosh _foreach_cosh_ _foreach_erf "
        "_foreach_erf_ _foreach_exp _foreach_exp_ _foreach_expm1 _foreach_expm1_ "
        "_foreach_floor _foreach_floor_ _foreach_frac _foreach_frac_ "
        "_foreach_lgamma _foreach_lgamma_ _foreach_log _foreach_log_ "
        "_foreach_log10 _foreach_log10_ _foreach_log1p _foreach_log1p_ "
        "_foreach_log2 _foreach_log2_ _foreach_neg _foreach_neg_ "
        "_foreach_reciprocal _foreach_reciprocal_ _foreach_round _foreach_round_ "
        "_foreach_rsqrt _foreach_rsqrt_ _foreach_sigmoid _foreach_sigmoid_ "
        "_foreach_sign _foreach_sign_ _foreach_sin _foreach_sin_ _foreach_sinh "
        "_foreach_sinh_ _foreach_sqrt _foreach_sqrt_ _foreach_tan _foreach_tan_ "
        "_foreach_tanh _foreach_tanh_ _foreach_trunc _foreach_trunc_ _foreach_erfc "
        "_foreach_erfc_",
        "ts = [p.clone(), p[0] * 2]\nr = torch.{name}(ts)\nr, ts",
        "ts = [p.clone(), p[0] * 2]\nr = torch.{name}(self=ts)\nr, ts",
    ),
    **alike(
        "torch",
        "_foreach_add _foreach_add_ _foreach_sub _foreach_sub_",
        "ts = [p.clone(), p[0] * 2]\nr = torch.{name}(ts, 2)\nr, ts",
        "ts = [p.clone(), p[0] * 2]\nr = torch.{name}(ts, [p, p[1]])\nr, ts",
        "ts = [p.clone(), p[0] * 2]\nr = torch.{name}(ts, [1.5, 2.5])\nr, ts",
        "ts = [p.clone(), p[0] * 2]\nr = torch.{name}(ts, [p, p[1]], alpha=0.5)\nr, ts",
    ),
    **alike(
        "torch",
        "_foreach_mul _foreach_mul_ _foreach_div _foreach_div_ _foreach_pow "
        "_foreach_pow_ _foreach_maximum _foreach_maximum_ _foreach_clamp_min "
        "_foreach_clamp_min_ _foreach_minimum _foreach_minimum_ _foreach_clamp_max "
        "_foreach_clamp_max_",
        "ts = [p.clone(), p[0] * 2]\nr = torch.{name}(ts, 0.5)\nr, ts",
        "ts = [p.clone(), p[0] * 2]\nr = torch.{name}(ts, [p, p[1]])\nr, ts",
        "ts = [p.clone(), p[0] * 2]\nr = torch.{name}(ts, [1.5, 0.2])\nr, ts",
        "ts = [p.sum(), p[0] * 2]\nr = torch.{name}(ts, [1.5, 0.2])\nr, ts",
    ),
    **alike(
        "torch",
        "_foreach_lerp _foreach_lerp_",
        "ts = [p.clone(), p[0] * 2]\nr = torch.{name}(ts, [p + 1, p[1]], 0.3)\nr, ts",
        "ts = [p.clone(), p[0] * 2]\nr = torch.{name}(ts, [p + 1, p[1]], [p, p[2]])\nr, ts",
    ),
    **alike(
        "torch",
        "_foreach_addcmul _foreach_addcmul_ _foreach_addcdiv _foreach_addcdiv_",
        "ts = [p.clone(), p[0] * 2]\nr = torch.{name}(ts, [p, p[1]], [p + 1, p[2]])\nr, ts",
        (
            "ts = [p.clone(), p[0] * 2]\n"
            "r = torch.{name}(ts, [p, p[1]], [p + 1, p[2]], value=0.5)\nr, ts"
        ),
        (
            "ts = [p.clone(), p[0] * 2]\n"
            "r = torch.{name}(ts, [p, p[1]], [p + 1, p[2]], [0.1, 2.0])\nr, ts"
        ),
    ),
    "torch._foreach_norm": (
        "torch._foreach_norm([x, y[0]])",
        "torch._foreach_norm([x, y[0]], ord=1)",
    ),
    "torch._foreach_max": ("torch._foreach_max([x, y[0]])",),
    "torch._foreach_clone": (
        "ts = [x, y]\nr = torch._foreach_clone(ts)\nr[0] is x",
        "torch._foreach_clone([w, y]), torch._foreach_mul([x, w], 2)",
    ),
    "torch._foreach_mm": ("torch._foreach_mm([sq, x], [sq, x.T])",),
    "torch._foreach_zero_": ("ts = [p.clone(), p[0] * 2]\nr = torch._foreach_zero_(ts)\nts",),
    "torch._foreach_copy_": (
        "ts = [p.clone(), p[0] * 2]\nr = torch._foreach_copy_(ts, [x, d[0]])\nr, ts",
    ),
}
