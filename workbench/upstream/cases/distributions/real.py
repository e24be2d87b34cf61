"""Distributions of real numbers."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import MEASURED

CASES: dict[str, tuple[str, ...]] = {
    "torch.distributions.Normal": (
        ("d = torch.distributions.Normal(0.0, 1.0)\nv = torch.tensor(0.3)" + MEASURED),
        (
            "d = torch.distributions.Normal(torch.tensor([0.5, 2.5]), "
            "scale=torch.tensor([0.5, 2.5]))\nv = torch.tensor(0.3)" + MEASURED
        ),
        (
            "d = torch.distributions.Normal(torch.zeros(3, 1), torch.ones(2))\n"
            "v = torch.tensor(0.3)" + MEASURED
        ),
    ),
    **alike(
        "torch.distributions.Normal",
        "log_prob cdf icdf",
        "d = torch.distributions.Normal(0.0, 1.0)\nv = torch.tensor(0.3)\nr = d.{name}(v)",
    ),
    "torch.distributions.Normal.sample": (
        (
            "d = torch.distributions.Normal(0.0, 1.0)\nv = torch.tensor(0.3)\n"
            "r = d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad"
        ),
    ),
    **alike(
        "torch.distributions",
        "Normal.expand Laplace.expand Cauchy.expand Uniform.expand",
        (
            "d = torch.distributions.{owner}(0.0, 1.0)\nv = torch.tensor(0.3)\n"
            "r = tuple(d.expand((4, *d.batch_shape)).batch_shape)"
        ),
    ),
    **alike(
        "torch.distributions",
        "Laplace Cauchy Gumbel",
        ("d = torch.distributions.{name}(0.0, 1.0)\nv = torch.tensor(0.3)" + MEASURED),
        (
            "d = torch.distributions.{name}(torch.tensor([0.5, 2.5]), "
            "torch.tensor([0.5, 2.5]))\nv = torch.tensor(0.3)" + MEASURED
        ),
    ),
    **alike(
        "torch.distributions.Laplace",
        "log_prob cdf icdf",
        "d = torch.distributions.Laplace(0.0, 1.0)\nv = torch.tensor(0.3)\nr = d.{name}(v)",
    ),
    **alike(
        "torch.distributions.Cauchy",
        "log_prob cdf icdf",
        "d = torch.distributions.Cauchy(0.0, 1.0)\nv = torch.tensor(0.3)\nr = d.{name}(v)",
    ),
    "torch.distributions.Uniform": (
        ("d = torch.distributions.Uniform(0.0, 1.0)\nv = torch.tensor(0.3)" + MEASURED),
        (
            "d = torch.distributions.Uniform(-torch.tensor([0.5, 2.5]), "
            "high=torch.tensor([0.5, 2.5]))\nv = torch.tensor(0.3)" + MEASURED
        ),
    ),
    **alike(
        "torch.distributions.Uniform",
        "log_prob cdf icdf",
        "d = torch.distributions.Uniform(0.0, 1.0)\nv = torch.tensor(0.3)\nr = d.{name}(v)",
    ),
    "torch.distributions.StudentT": (
        (
            "d = torch.distributions.StudentT(3.0)\nv = torch.tensor(0.3)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.rsample((4, 3)).shape\nshape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.StudentT(torch.tensor([0.5, 2.5]), "
            "loc=torch.tensor([0.5, 2.5]), scale=torch.tensor([0.5, 2.5]))\n"
            "v = torch.tensor(0.3)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.rsample((4, 3)).shape\nshape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
    ),
    "torch.distributions.StudentT.log_prob": (
        "d = torch.distributions.StudentT(3.0)\nv = torch.tensor(0.3)\nr = d.log_prob(v)",
    ),
    "torch.distributions.StudentT.expand": (
        (
            "d = torch.distributions.StudentT(3.0)\nv = torch.tensor(0.3)\n"
            "r = tuple(d.expand((4, *d.batch_shape)).batch_shape)"
        ),
    ),
    "torch.distributions.VonMises": (
        (
            "d = torch.distributions.VonMises(torch.tensor(0.5), torch.tensor(2.0))\n"
            "v = torch.tensor(0.3)\n"
            "r = d.mean, d.mode, d.variance, d.log_prob(v), d.sample((4,)).shape, "
            "d.sample().dtype, d.sample().requires_grad\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.VonMises(torch.tensor([0.5, 2.5]), "
            "concentration=torch.tensor([0.5, 2.5]))\nv = torch.tensor(0.3)\n"
            "r = d.mean, d.mode, d.variance, d.log_prob(v), d.sample((4,)).shape, "
            "d.sample().dtype, d.sample().requires_grad\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
    ),
    "torch.distributions.VonMises.log_prob": (
        (
            "d = torch.distributions.VonMises(torch.tensor(0.5), torch.tensor(2.0))\n"
            "v = torch.tensor(0.3)\nr = d.log_prob(v)"
        ),
    ),
    "torch.distributions.VonMises.sample": (
        (
            "d = torch.distributions.VonMises(torch.tensor(0.5), torch.tensor(2.0))\n"
            "v = torch.tensor(0.3)\n"
            "r = d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad"
        ),
    ),
    "torch.distributions.VonMises.expand": (
        (
            "d = torch.distributions.VonMises(torch.tensor(0.5), torch.tensor(2.0))\n"
            "v = torch.tensor(0.3)\nr = tuple(d.expand((4, *d.batch_shape)).batch_shape)"
        ),
    ),
}
