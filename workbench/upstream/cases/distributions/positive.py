"""Distributions of positive numbers."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import MEASURED

CASES: dict[str, tuple[str, ...]] = {
    "torch.distributions.LogNormal": (
        ("d = torch.distributions.LogNormal(0.0, 0.5)\nv = torch.tensor(0.3)" + MEASURED),
        (
            "d = torch.distributions.LogNormal(loc=torch.tensor([0.5, 2.5]), "
            "scale=torch.tensor([0.5, 2.5]))\nv = torch.tensor(0.3)" + MEASURED
        ),
    ),
    **alike(
        "torch.distributions.LogNormal",
        "has_rsample loc scale",
        "d = torch.distributions.LogNormal(0.0, 0.5)\nv = torch.tensor(0.3)\nr = d.{name}",
    ),
    **alike(
        "torch.distributions",
        "HalfNormal HalfCauchy",
        ("d = torch.distributions.{name}(1.0)\nv = torch.tensor(0.3)" + MEASURED),
        (
            "d = torch.distributions.{name}(scale=torch.tensor([0.5, 2.5]))\n"
            "v = torch.tensor(0.3)" + MEASURED
        ),
    ),
    "torch.distributions.HalfNormal.icdf": (
        "d = torch.distributions.HalfNormal(1.0)\nv = torch.tensor(0.3)\nr = d.icdf(v)",
    ),
    **alike(
        "torch.distributions",
        "HalfNormal.has_rsample HalfNormal.scale HalfCauchy.has_rsample HalfCauchy.scale",
        "d = torch.distributions.{owner}(1.0)\nv = torch.tensor(0.3)\nr = d.{name}",
    ),
    "torch.distributions.HalfCauchy.icdf": (
        "d = torch.distributions.HalfCauchy(1.0)\nv = torch.tensor(0.3)\nr = d.icdf(v)",
    ),
    "torch.distributions.Exponential": (
        ("d = torch.distributions.Exponential(1.0)\nv = torch.tensor(0.3)" + MEASURED),
        (
            "d = torch.distributions.Exponential(rate=torch.tensor([0.5, 2.5]))\n"
            "v = torch.tensor(0.3)" + MEASURED
        ),
    ),
    **alike(
        "torch.distributions.Exponential",
        "log_prob cdf icdf",
        "d = torch.distributions.Exponential(1.0)\nv = torch.tensor(0.3)\nr = d.{name}(v)",
    ),
    "torch.distributions.Exponential.expand": (
        (
            "d = torch.distributions.Exponential(1.0)\nv = torch.tensor(0.3)\n"
            "r = tuple(d.expand((4, *d.batch_shape)).batch_shape)"
        ),
    ),
    "torch.distributions.Pareto": (
        ("d = torch.distributions.Pareto(0.2, 3.0)\nv = torch.tensor(0.3)" + MEASURED),
        (
            "d = torch.distributions.Pareto(torch.tensor([0.1, 0.2]), "
            "alpha=torch.tensor([0.5, 2.5]))\nv = torch.tensor(0.3)" + MEASURED
        ),
    ),
    "torch.distributions.Pareto.expand": (
        (
            "d = torch.distributions.Pareto(0.2, 3.0)\nv = torch.tensor(0.3)\n"
            "r = tuple(d.expand((4, *d.batch_shape)).batch_shape)"
        ),
    ),
    "torch.distributions.Weibull": (
        ("d = torch.distributions.Weibull(1.0, 2.0)\nv = torch.tensor(0.3)" + MEASURED),
        (
            "d = torch.distributions.Weibull(torch.tensor([0.5, 2.5]), "
            "concentration=torch.tensor([0.5, 2.5]))\nv = torch.tensor(0.3)" + MEASURED
        ),
    ),
    "torch.distributions.Gamma": (
        (
            "d = torch.distributions.Gamma(2.0, 1.0)\nv = torch.tensor(0.3)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.rsample((4, 3)).shape, d.cdf(v)\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.Gamma(torch.tensor([0.5, 2.5]), "
            "rate=torch.tensor([0.5, 2.5]))\nv = torch.tensor(0.3)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.rsample((4, 3)).shape, d.cdf(v)\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "s = torch.tensor([1.0, 2.5], requires_grad=True)\n"
            "d = torch.distributions.Gamma(s, s)\n"
            "r = d.log_prob(torch.tensor(0.3)) + d.entropy() + d.variance\nr.sum().backward()\n"
            "g = s.grad"
        ),
    ),
    "torch.distributions.Gamma.log_prob": (
        "d = torch.distributions.Gamma(2.0, 1.0)\nv = torch.tensor(0.3)\nr = d.log_prob(v)",
    ),
    "torch.distributions.Gamma.cdf": (
        "d = torch.distributions.Gamma(2.0, 1.0)\nv = torch.tensor(0.3)\nr = d.cdf(v)",
    ),
    "torch.distributions.Gamma.expand": (
        (
            "d = torch.distributions.Gamma(2.0, 1.0)\nv = torch.tensor(0.3)\n"
            "r = tuple(d.expand((4, *d.batch_shape)).batch_shape)"
        ),
    ),
    "torch.distributions.InverseGamma": (
        (
            "d = torch.distributions.InverseGamma(3.0, 1.0)\nv = torch.tensor(0.3)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.rsample((4, 3)).shape\nshape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.InverseGamma(torch.tensor([0.5, 2.5]), "
            "rate=torch.tensor([0.5, 2.5]))\nv = torch.tensor(0.3)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.rsample((4, 3)).shape\nshape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
    ),
    **alike(
        "torch.distributions.InverseGamma",
        "has_rsample concentration rate",
        ("d = torch.distributions.InverseGamma(3.0, 1.0)\nv = torch.tensor(0.3)\nr = d.{name}"),
    ),
    "torch.distributions.Chi2": (
        (
            "d = torch.distributions.Chi2(3.0)\nv = torch.tensor(0.3)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.rsample((4, 3)).shape, d.df\nshape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.Chi2(df=torch.tensor([0.5, 2.5]))\nv = torch.tensor(0.3)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.rsample((4, 3)).shape, d.df\nshape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
    ),
    "torch.distributions.Chi2.df": (
        "d = torch.distributions.Chi2(3.0)\nv = torch.tensor(0.3)\nr = d.df",
    ),
    "torch.distributions.Beta": (
        (
            "d = torch.distributions.Beta(2.0, 3.0)\nv = torch.tensor(0.3)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.rsample((4, 3)).shape\nshape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.Beta(torch.tensor([0.5, 2.5]), torch.tensor([0.5, 2.5]))\n"
            "v = torch.tensor(0.3)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.rsample((4, 3)).shape\nshape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
    ),
    "torch.distributions.Beta.log_prob": (
        "d = torch.distributions.Beta(2.0, 3.0)\nv = torch.tensor(0.3)\nr = d.log_prob(v)",
    ),
    "torch.distributions.Beta.rsample": (
        (
            "d = torch.distributions.Beta(2.0, 3.0)\nv = torch.tensor(0.3)\n"
            "r = d.rsample((4, 3)).shape"
        ),
    ),
    "torch.distributions.Beta.expand": (
        (
            "d = torch.distributions.Beta(2.0, 3.0)\nv = torch.tensor(0.3)\n"
            "r = tuple(d.expand((4, *d.batch_shape)).batch_shape)"
        ),
    ),
    **alike(
        "torch.distributions",
        "Beta.concentration1 Beta.concentration0 Kumaraswamy.has_rsample",
        "d = torch.distributions.{owner}(2.0, 3.0)\nv = torch.tensor(0.3)\nr = d.{name}",
    ),
    "torch.distributions.Kumaraswamy": (
        (
            "d = torch.distributions.Kumaraswamy(2.0, 3.0)\nv = torch.tensor(0.3)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.rsample((4, 3)).shape\nshape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.Kumaraswamy(torch.tensor([0.5, 2.5]), "
            "concentration0=torch.tensor([0.5, 2.5]))\nv = torch.tensor(0.3)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.rsample((4, 3)).shape\nshape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
    ),
    "torch.distributions.FisherSnedecor": (
        (
            "d = torch.distributions.FisherSnedecor(3.0, 5.0)\nv = torch.tensor(0.3)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.rsample((4, 3)).shape, d.has_rsample\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.FisherSnedecor(torch.tensor([0.5, 2.5]), "
            "df2=torch.tensor([0.5, 2.5]))\nv = torch.tensor(0.3)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.rsample((4, 3)).shape, d.has_rsample\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "s = torch.tensor([2.0, 6.0], requires_grad=True)\n"
            "d = torch.distributions.FisherSnedecor(s, s)\nr = d.mean + d.variance\n"
            "r.sum().backward()\ng = s.grad"
        ),
    ),
    "torch.distributions.FisherSnedecor.log_prob": (
        (
            "d = torch.distributions.FisherSnedecor(3.0, 5.0)\nv = torch.tensor(0.3)\n"
            "r = d.log_prob(v)"
        ),
    ),
    "torch.distributions.FisherSnedecor.rsample": (
        (
            "d = torch.distributions.FisherSnedecor(3.0, 5.0)\nv = torch.tensor(0.3)\n"
            "r = d.rsample((4, 3)).shape"
        ),
    ),
    "torch.distributions.FisherSnedecor.expand": (
        (
            "d = torch.distributions.FisherSnedecor(3.0, 5.0)\nv = torch.tensor(0.3)\n"
            "r = tuple(d.expand((4, *d.batch_shape)).batch_shape)"
        ),
    ),
    "torch.distributions.GeneralizedPareto": (
        (
            "d = torch.distributions.GeneralizedPareto(0.0, 1.0, 0.2)\nv = torch.tensor(2.6)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.cdf(v), "
            "d.icdf(v), d.rsample((4, 3)).shape\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.GeneralizedPareto(torch.tensor([0.5, 2.5]), "
            "torch.tensor([0.5, 2.5]), torch.tensor([0.0, -0.1]))\nv = torch.tensor(2.6)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.cdf(v), "
            "d.icdf(v), d.rsample((4, 3)).shape\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
    ),
    **alike(
        "torch.distributions.GeneralizedPareto",
        "mean variance mode",
        (
            "d = torch.distributions.GeneralizedPareto(0.0, 1.0, 0.2)\nv = torch.tensor(2.6)\n"
            "r = d.{name}"
        ),
    ),
    **alike(
        "torch.distributions.GeneralizedPareto",
        "log_prob cdf icdf",
        (
            "d = torch.distributions.GeneralizedPareto(0.0, 1.0, 0.2)\nv = torch.tensor(2.6)\n"
            "r = d.{name}(v)"
        ),
    ),
    "torch.distributions.GeneralizedPareto.rsample": (
        (
            "d = torch.distributions.GeneralizedPareto(0.0, 1.0, 0.2)\nv = torch.tensor(2.6)\n"
            "r = d.rsample((4, 3)).shape"
        ),
    ),
    "torch.distributions.GeneralizedPareto.expand": (
        (
            "d = torch.distributions.GeneralizedPareto(0.0, 1.0, 0.2)\nv = torch.tensor(2.6)\n"
            "r = tuple(d.expand((4, *d.batch_shape)).batch_shape)"
        ),
    ),
    "torch.distributions.GeneralizedPareto.log_cdf": (
        (
            "r = torch.distributions.GeneralizedPareto(torch.tensor([0.5, 2.5]), 1.0, "
            "0.1).log_cdf(torch.tensor(2.7))"
        ),
    ),
    "torch.distributions.GeneralizedPareto.log_survival_function": (
        (
            "r = torch.distributions.GeneralizedPareto(torch.tensor([0.5, 2.5]), 1.0, "
            "0.1).log_survival_function(torch.tensor(2.7))"
        ),
    ),
}
