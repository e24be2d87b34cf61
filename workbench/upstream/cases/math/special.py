"""torch.special."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    **alike(
        "torch.special",
        "digamma psi gammaln log1p",
        "torch.special.{name}(p)",
        "torch.special.{name}(input=p.double())",
    ),
    **alike(
        "torch.special",
        "erf erfc erfinv exp2 expit expm1 i0 i1 i1e modified_bessel_i0 "
        "modified_bessel_i1 log_ndtr erfcx",
        "torch.special.{name}(x)",
        "torch.special.{name}(input=x.double())",
    ),
    "torch.special.i0e": (
        "torch.special.i0e(x)",
        "torch.special.i0e(input=x.double())",
        "t = w.relu() * 2\ntorch.special.i0e(t).sum().backward()\ng = w.grad",
        "torch.special.i0e(torch.tensor([-float('inf'), 0.0, float('inf'), float('nan')]))",
    ),
    "torch.special.sinc": (
        "torch.special.sinc(x)",
        "torch.special.sinc(input=x.double())",
        "torch.special.sinc(w).sum().backward()\ng = w.grad",
    ),
    "torch.special.entr": (
        "torch.special.entr(x)",
        "torch.special.entr(input=x.double())",
        "t = w.relu() * 2\ntorch.special.entr(t).sum().backward()\ng = w.grad",
        "torch.special.entr(torch.tensor([-float('inf'), 0.0, float('inf'), float('nan')]))",
        "torch.special.entr(i)",
    ),
    "torch.special.ndtr": (
        "torch.special.ndtr(x)",
        "torch.special.ndtr(input=x.double())",
        "torch.special.ndtr(w).sum().backward()\ng = w.grad",
        "torch.special.ndtr(torch.tensor([-9.0, -5.0, 3.0])).log()",
    ),
    "torch.special.ndtri": (
        "torch.special.ndtri((p * 2 - 0.5))",
        "torch.special.ndtri(input=(p * 2 - 0.5).double())",
    ),
    "torch.special.spherical_bessel_j0": (
        "torch.special.spherical_bessel_j0(x)",
        ("torch.special.spherical_bessel_j0(torch.tensor([0.0, -float('inf'), float('nan')]))"),
        "torch.special.spherical_bessel_j0(i)",
    ),
    "torch.special.round": (
        "torch.special.round(x * 3)",
        "torch.special.round(x, decimals=1)",
    ),
    "torch.special.logit": (
        "torch.special.logit(p)",
        "torch.special.logit(x, eps=0.1)",
        "torch.special.logit(w).sum().backward()\ng = w.grad",
        "torch.special.logit(w.relu().clamp(max=1)).sum().backward()\ng = w.grad",
    ),
    "torch.special.xlogy": (
        "torch.special.xlogy(x, p)",
        "torch.special.xlogy(0, p)",
        "torch.special.xlogy(x, 2.0)",
        (
            "u = torch.tensor([0.0, 0.0, 2.0, 0.0], requires_grad=True)\n"
            "v = torch.tensor([0.0, -1.0, 3.0, 1.0], requires_grad=True)\n"
            "torch.special.xlogy(u, v).sum().backward()\ng, h = u.grad, v.grad"
        ),
    ),
    "torch.special.xlog1py": (
        "torch.special.xlog1py(x, p)",
        "torch.special.xlog1py(torch.zeros(2), torch.tensor([-1.0, 2.0]))",
        (
            "u = torch.tensor([0.0, 0.0, 2.0, 0.0], requires_grad=True)\n"
            "v = torch.tensor([0.0, -1.0, 3.0, 1.0], requires_grad=True)\n"
            "torch.special.xlog1py(u, v).sum().backward()\ng, h = u.grad, v.grad"
        ),
    ),
    "torch.special.gammainc": (
        "torch.special.gammainc(p, p + 1)",
        "torch.special.gammainc(p[:, :1], p[0])",
    ),
    "torch.special.gammaincc": (
        "torch.special.gammaincc(p, p + 1)",
        "torch.special.gammaincc(p[:, :1], p[0])",
    ),
    "torch.special.polygamma": ("torch.special.polygamma(1, p)",),
    "torch.special.multigammaln": (
        "torch.special.multigammaln(p + 2, 3)",
        "torch.special.multigammaln(i + 2, 2)",
    ),
    "torch.special.logsumexp": (
        "torch.special.logsumexp(x, 1)",
        "torch.special.logsumexp(x, dim=(0, 1), keepdim=True)",
        "torch.special.logsumexp(img[None], 1)",
    ),
    "torch.special.softmax": (
        "torch.special.softmax(x, 1, torch.float64)",
        "torch.special.softmax(x, 1)",
        "torch.special.softmax(x, dim=0, dtype=torch.float64)",
    ),
    "torch.special.log_softmax": (
        "torch.special.log_softmax(x, 1)",
        "torch.special.log_softmax(x, dim=0, dtype=torch.float64)",
    ),
    **alike(
        "torch.special",
        "chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v "
        "chebyshev_polynomial_w hermite_polynomial_h hermite_polynomial_he "
        "laguerre_polynomial_l legendre_polynomial_p",
        "torch.special.{name}(p, 3)",
        "torch.special.{name}(p, n[:, None])",
        "torch.special.{name}(x, torch.tensor(0))",
        "torch.special.{name}(n=2, x=p)",
    ),
    **alike(
        "torch.special",
        "shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u "
        "shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w",
        "torch.special.{name}(p, 3)",
        "torch.special.{name}(p, n[:, None])",
        "torch.special.{name}(i.to(torch.uint8), 3), torch.special.{name}(2, n)",
    ),
    **alike(
        "torch.special",
        "bessel_j0 bessel_j1 bessel_y0 bessel_y1",
        "torch.special.{name}(x * 20)",
        "torch.special.{name}(torch.linspace(7.0, 60.0, 100, dtype=torch.float64))",
        "torch.special.{name}(torch.linspace(0.0, 5.0, 50, dtype=torch.float64))",
        "torch.special.{name}(torch.tensor([float('nan'), float('inf'), 0.0, -0.5]))",
    ),
    **alike(
        "torch.special",
        "modified_bessel_k0 scaled_modified_bessel_k0 modified_bessel_k1 scaled_modified_bessel_k1",
        "torch.special.{name}(p * 5)",
        "torch.special.{name}(torch.linspace(0.01, 60.0, 100, dtype=torch.float64))",
        "torch.special.{name}(torch.tensor([float('nan'), float('inf'), 0.0, -0.5]))",
    ),
    "torch.special.zeta": (
        "torch.special.zeta(p * 5 + 1, p)",
        "torch.special.zeta(d.abs() + 2, 3)",
        "torch.special.zeta(2.5, p)",
        "torch.special.zeta(torch.tensor([1.0, 0.5, 3.0]), 1.0)",
        ("torch.special.zeta(torch.tensor([3.0, 2.0, 2.5]), torch.tensor([-0.5, -2.0, -1.5]))"),
        (
            "u = torch.tensor([1.5, 2.5], requires_grad=True)\nr = torch.special.zeta(3.0, u)\n"
            "r.sum().backward()\ng = u.grad\ns = torch.special.zeta(u + 1, 2.0)"
        ),
    ),
    "torch.special.airy_ai": (
        "torch.special.airy_ai(x * 4)",
        "torch.special.airy_ai(torch.linspace(-30, 30, 200))",
        "torch.special.airy_ai(torch.linspace(-2, 9, 100).double())",
        "torch.special.airy_ai(torch.linspace(-90, -2.2, 100).double())",
        "torch.special.airy_ai(x=i)",
        "torch.special.airy_ai(torch.tensor([0.0, float('nan'), float('inf'), 104.0]))",
    ),
}
