"""Distributions of integers, and their continuous relaxations."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    "torch.distributions.Bernoulli": (
        (
            "d = torch.distributions.Bernoulli(0.3)\nv = torch.tensor(1.0)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.probs, d.logits, d.enumerate_support()\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.Bernoulli(probs=torch.tensor([0.2, 0.5, 0.9]))\n"
            "v = torch.tensor(1.0)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.probs, d.logits, d.enumerate_support()\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.Bernoulli(logits=torch.tensor([0.2, -1.0]))\n"
            "v = torch.tensor(1.0)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.probs, d.logits, d.enumerate_support()\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "s = torch.tensor([0.5, 0.2], requires_grad=True)\n"
            "d = torch.distributions.Bernoulli(s)\n"
            "r = d.log_prob(torch.tensor([1.0, 0.0])) + d.entropy()\nr.sum().backward()\n"
            "g = s.grad"
        ),
    ),
    "torch.distributions.Bernoulli.log_prob": (
        "d = torch.distributions.Bernoulli(0.3)\nv = torch.tensor(1.0)\nr = d.log_prob(v)",
    ),
    "torch.distributions.Bernoulli.sample": (
        (
            "d = torch.distributions.Bernoulli(0.3)\nv = torch.tensor(1.0)\n"
            "r = d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad"
        ),
    ),
    "torch.distributions.Bernoulli.expand": (
        (
            "d = torch.distributions.Bernoulli(0.3)\nv = torch.tensor(1.0)\n"
            "r = tuple(d.expand((4, *d.batch_shape)).batch_shape)"
        ),
    ),
    "torch.distributions.Bernoulli.enumerate_support": (
        (
            "d = torch.distributions.Bernoulli(0.3)\nv = torch.tensor(1.0)\n"
            "r = d.enumerate_support()"
        ),
    ),
    "torch.distributions.Bernoulli.probs": (
        "d = torch.distributions.Bernoulli(0.3)\nv = torch.tensor(1.0)\nr = d.probs",
    ),
    "torch.distributions.Bernoulli.logits": (
        "d = torch.distributions.Bernoulli(0.3)\nv = torch.tensor(1.0)\nr = d.logits",
    ),
    "torch.distributions.Geometric": (
        (
            "d = torch.distributions.Geometric(0.3)\nv = torch.tensor(2.0)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.Geometric(probs=torch.tensor([0.2, 0.9]))\n"
            "v = torch.tensor(2.0)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.Geometric(logits=torch.tensor([0.2, -1.0]))\n"
            "v = torch.tensor(2.0)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
    ),
    "torch.distributions.Geometric.log_prob": (
        "d = torch.distributions.Geometric(0.3)\nv = torch.tensor(2.0)\nr = d.log_prob(v)",
    ),
    "torch.distributions.Geometric.sample": (
        (
            "d = torch.distributions.Geometric(0.3)\nv = torch.tensor(2.0)\n"
            "r = d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad"
        ),
    ),
    "torch.distributions.Geometric.expand": (
        (
            "d = torch.distributions.Geometric(0.3)\nv = torch.tensor(2.0)\n"
            "r = tuple(d.expand((4, *d.batch_shape)).batch_shape)"
        ),
    ),
    "torch.distributions.Geometric.probs": (
        "d = torch.distributions.Geometric(0.3)\nv = torch.tensor(2.0)\nr = d.probs",
    ),
    "torch.distributions.Geometric.logits": (
        "d = torch.distributions.Geometric(0.3)\nv = torch.tensor(2.0)\nr = d.logits",
    ),
    "torch.distributions.Binomial": (
        (
            "d = torch.distributions.Binomial(5, 0.3)\nv = torch.tensor(2.0)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.Binomial(4, probs=torch.tensor([0.2, 0.9]))\n"
            "v = torch.tensor(2.0)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.Binomial(3, logits=torch.tensor([0.2, -1.0]))\n"
            "v = torch.tensor(2.0)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "s = torch.tensor([0.5, 0.2], requires_grad=True)\n"
            "d = torch.distributions.Binomial(4, s)\nr = d.log_prob(torch.tensor([1.0, 3.0]))\n"
            "r.sum().backward()\ng = s.grad"
        ),
    ),
    "torch.distributions.Binomial.log_prob": (
        "d = torch.distributions.Binomial(5, 0.3)\nv = torch.tensor(2.0)\nr = d.log_prob(v)",
    ),
    "torch.distributions.Binomial.sample": (
        (
            "d = torch.distributions.Binomial(5, 0.3)\nv = torch.tensor(2.0)\n"
            "r = d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad"
        ),
    ),
    "torch.distributions.Binomial.expand": (
        (
            "d = torch.distributions.Binomial(5, 0.3)\nv = torch.tensor(2.0)\n"
            "r = tuple(d.expand((4, *d.batch_shape)).batch_shape)"
        ),
    ),
    **alike(
        "torch.distributions.Binomial",
        "total_count probs logits",
        "d = torch.distributions.Binomial(5, 0.3)\nv = torch.tensor(2.0)\nr = d.{name}",
    ),
    "torch.distributions.NegativeBinomial": (
        (
            "d = torch.distributions.NegativeBinomial(5, 0.3)\nv = torch.tensor(2.0)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.NegativeBinomial(4, probs=torch.tensor([0.2, 0.9]))\n"
            "v = torch.tensor(2.0)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.NegativeBinomial(3, logits=torch.tensor([0.2, -1.0]))\n"
            "v = torch.tensor(2.0)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
    ),
    "torch.distributions.NegativeBinomial.log_prob": (
        (
            "d = torch.distributions.NegativeBinomial(5, 0.3)\nv = torch.tensor(2.0)\n"
            "r = d.log_prob(v)"
        ),
    ),
    "torch.distributions.NegativeBinomial.sample": (
        (
            "d = torch.distributions.NegativeBinomial(5, 0.3)\nv = torch.tensor(2.0)\n"
            "r = d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad"
        ),
    ),
    "torch.distributions.NegativeBinomial.expand": (
        (
            "d = torch.distributions.NegativeBinomial(5, 0.3)\nv = torch.tensor(2.0)\n"
            "r = tuple(d.expand((4, *d.batch_shape)).batch_shape)"
        ),
    ),
    **alike(
        "torch.distributions.NegativeBinomial",
        "total_count probs logits",
        ("d = torch.distributions.NegativeBinomial(5, 0.3)\nv = torch.tensor(2.0)\nr = d.{name}"),
    ),
    "torch.distributions.Poisson": (
        (
            "d = torch.distributions.Poisson(3.0)\nv = torch.tensor(2.0)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.Poisson(rate=torch.tensor([0.5, 2.5]))\n"
            "v = torch.tensor(2.0)\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
    ),
    "torch.distributions.Poisson.log_prob": (
        "d = torch.distributions.Poisson(3.0)\nv = torch.tensor(2.0)\nr = d.log_prob(v)",
    ),
    "torch.distributions.Poisson.sample": (
        (
            "d = torch.distributions.Poisson(3.0)\nv = torch.tensor(2.0)\n"
            "r = d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad"
        ),
    ),
    "torch.distributions.Poisson.expand": (
        (
            "d = torch.distributions.Poisson(3.0)\nv = torch.tensor(2.0)\n"
            "r = tuple(d.expand((4, *d.batch_shape)).batch_shape)"
        ),
    ),
    "torch.distributions.ContinuousBernoulli": (
        (
            "d = torch.distributions.ContinuousBernoulli(0.3)\nv = torch.tensor(0.4)\n"
            "r = d.mean, d.variance, d.stddev, d.log_prob(v), d.entropy(), d.cdf(v), "
            "d.icdf(v), d.rsample((4, 3)).shape, d.probs\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.ContinuousBernoulli(probs=torch.tensor([0.2, 0.5, 0.9]))\n"
            "v = torch.tensor(0.4)\n"
            "r = d.mean, d.variance, d.stddev, d.log_prob(v), d.entropy(), d.cdf(v), "
            "d.icdf(v), d.rsample((4, 3)).shape, d.probs\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.ContinuousBernoulli(logits=torch.tensor([0.2, -1.0]))\n"
            "v = torch.tensor(0.4)\n"
            "r = d.mean, d.variance, d.stddev, d.log_prob(v), d.entropy(), d.cdf(v), "
            "d.icdf(v), d.rsample((4, 3)).shape, d.probs\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "s = torch.tensor([0.5, 0.2], requires_grad=True)\n"
            "d = torch.distributions.ContinuousBernoulli(s)\n"
            "r = d.log_prob(torch.tensor([0.1, 0.6]))\nr.sum().backward()\ng = s.grad"
        ),
    ),
    **alike(
        "torch.distributions.ContinuousBernoulli",
        "log_prob cdf icdf",
        (
            "d = torch.distributions.ContinuousBernoulli(0.3)\nv = torch.tensor(0.4)\n"
            "r = d.{name}(v)"
        ),
    ),
    "torch.distributions.ContinuousBernoulli.sample": (
        (
            "d = torch.distributions.ContinuousBernoulli(0.3)\nv = torch.tensor(0.4)\n"
            "r = d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad"
        ),
    ),
    "torch.distributions.ContinuousBernoulli.expand": (
        (
            "d = torch.distributions.ContinuousBernoulli(0.3)\nv = torch.tensor(0.4)\n"
            "r = tuple(d.expand((4, *d.batch_shape)).batch_shape)"
        ),
    ),
    "torch.distributions.ContinuousBernoulli.probs": (
        ("d = torch.distributions.ContinuousBernoulli(0.3)\nv = torch.tensor(0.4)\nr = d.probs"),
    ),
    "torch.distributions.ContinuousBernoulli.logits": (
        ("d = torch.distributions.ContinuousBernoulli(0.3)\nv = torch.tensor(0.4)\nr = d.logits"),
    ),
    "torch.distributions.RelaxedBernoulli": (
        (
            "d = torch.distributions.RelaxedBernoulli(torch.tensor(0.7), "
            "probs=torch.tensor([0.2, 0.5]))\nv = torch.tensor([0.3, 0.6])\n"
            "r = d.log_prob(v), d.rsample((4, 3)).shape, d.probs, d.logits\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.RelaxedBernoulli(torch.tensor(2.0), "
            "logits=torch.tensor([0.2, -1.0]))\nv = torch.tensor([0.3, 0.6])\n"
            "r = d.log_prob(v), d.rsample((4, 3)).shape, d.probs, d.logits\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
    ),
    **alike(
        "torch.distributions.RelaxedBernoulli",
        "has_rsample temperature logits",
        (
            "d = torch.distributions.RelaxedBernoulli(torch.tensor(0.7), "
            "probs=torch.tensor([0.2, 0.5]))\nv = torch.tensor([0.3, 0.6])\nr = d.{name}"
        ),
    ),
    "torch.distributions.RelaxedBernoulli.probs": (
        (
            "d = torch.distributions.RelaxedBernoulli(torch.tensor(0.7), "
            "probs=torch.tensor([0.2, 0.5]))\nv = torch.tensor([0.3, 0.6])\nr = d.probs"
        ),
    ),
}
