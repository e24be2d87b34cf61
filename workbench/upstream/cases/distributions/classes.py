"""Distributions of classes, and their continuous relaxations."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    "torch.distributions.Categorical": (
        (
            "d = torch.distributions.Categorical(torch.tensor([0.2, 0.3, 0.5]))\n"
            "v = torch.tensor([1])\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.probs, d.logits, d.enumerate_support()\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.Categorical(logits=torch.tensor([[0.2, 1.0], "
            "[3.0, 0.0]]))\nv = torch.tensor([1])\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.probs, d.logits, d.enumerate_support()\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.Categorical(probs=torch.tensor([[1.0, 1.0], [3.0, "
            "1.0]]))\nv = torch.tensor([1])\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.probs, d.logits, d.enumerate_support()\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
    ),
    "torch.distributions.Categorical.log_prob": (
        (
            "d = torch.distributions.Categorical(torch.tensor([0.2, 0.3, 0.5]))\n"
            "v = torch.tensor([1])\nr = d.log_prob(v)"
        ),
    ),
    "torch.distributions.Categorical.sample": (
        (
            "d = torch.distributions.Categorical(torch.tensor([0.2, 0.3, 0.5]))\n"
            "v = torch.tensor([1])\n"
            "r = d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad"
        ),
    ),
    "torch.distributions.Categorical.expand": (
        (
            "d = torch.distributions.Categorical(torch.tensor([0.2, 0.3, 0.5]))\n"
            "v = torch.tensor([1])\nr = tuple(d.expand((4, *d.batch_shape)).batch_shape)"
        ),
    ),
    "torch.distributions.Categorical.enumerate_support": (
        (
            "d = torch.distributions.Categorical(torch.tensor([0.2, 0.3, 0.5]))\n"
            "v = torch.tensor([1])\nr = d.enumerate_support()"
        ),
    ),
    "torch.distributions.Categorical.probs": (
        (
            "d = torch.distributions.Categorical(torch.tensor([0.2, 0.3, 0.5]))\n"
            "v = torch.tensor([1])\nr = d.probs"
        ),
    ),
    "torch.distributions.Categorical.logits": (
        (
            "d = torch.distributions.Categorical(torch.tensor([0.2, 0.3, 0.5]))\n"
            "v = torch.tensor([1])\nr = d.logits"
        ),
    ),
    "torch.distributions.OneHotCategorical": (
        (
            "d = torch.distributions.OneHotCategorical(torch.tensor([0.2, 0.3, 0.5]))\n"
            "v = torch.tensor([0.0, 1.0, 0.0])\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.OneHotCategorical(logits=torch.tensor([0.2, 1.0, 0.0]))\n"
            "v = torch.tensor([0.0, 1.0, 0.0])\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
    ),
    "torch.distributions.OneHotCategorical.log_prob": (
        (
            "d = torch.distributions.OneHotCategorical(torch.tensor([0.2, 0.3, 0.5]))\n"
            "v = torch.tensor([0.0, 1.0, 0.0])\nr = d.log_prob(v)"
        ),
    ),
    "torch.distributions.OneHotCategorical.sample": (
        (
            "d = torch.distributions.OneHotCategorical(torch.tensor([0.2, 0.3, 0.5]))\n"
            "v = torch.tensor([0.0, 1.0, 0.0])\n"
            "r = d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad"
        ),
    ),
    "torch.distributions.OneHotCategorical.expand": (
        (
            "d = torch.distributions.OneHotCategorical(torch.tensor([0.2, 0.3, 0.5]))\n"
            "v = torch.tensor([0.0, 1.0, 0.0])\n"
            "r = tuple(d.expand((4, *d.batch_shape)).batch_shape)"
        ),
    ),
    "torch.distributions.OneHotCategorical.probs": (
        (
            "d = torch.distributions.OneHotCategorical(torch.tensor([0.2, 0.3, 0.5]))\n"
            "v = torch.tensor([0.0, 1.0, 0.0])\nr = d.probs"
        ),
    ),
    "torch.distributions.OneHotCategorical.logits": (
        (
            "d = torch.distributions.OneHotCategorical(torch.tensor([0.2, 0.3, 0.5]))\n"
            "v = torch.tensor([0.0, 1.0, 0.0])\nr = d.logits"
        ),
    ),
    "torch.distributions.Multinomial": (
        (
            "d = torch.distributions.Multinomial(4, torch.tensor([0.2, 0.3, 0.5]))\n"
            "v = torch.tensor([1.0, 2.0, 1.0])\n"
            "r = d.mean, d.variance, d.stddev, d.log_prob(v), d.sample((4,)).shape, "
            "d.sample().dtype, d.sample().requires_grad, d.entropy()\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.Multinomial(4, logits=torch.tensor([0.2, 1.0, 0.0]))\n"
            "v = torch.tensor([1.0, 2.0, 1.0])\n"
            "r = d.mean, d.variance, d.stddev, d.log_prob(v), d.sample((4,)).shape, "
            "d.sample().dtype, d.sample().requires_grad, d.entropy()\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
    ),
    "torch.distributions.Multinomial.log_prob": (
        (
            "d = torch.distributions.Multinomial(4, torch.tensor([0.2, 0.3, 0.5]))\n"
            "v = torch.tensor([1.0, 2.0, 1.0])\nr = d.log_prob(v)"
        ),
    ),
    "torch.distributions.Multinomial.sample": (
        (
            "d = torch.distributions.Multinomial(4, torch.tensor([0.2, 0.3, 0.5]))\n"
            "v = torch.tensor([1.0, 2.0, 1.0])\n"
            "r = d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad"
        ),
    ),
    "torch.distributions.Multinomial.expand": (
        (
            "d = torch.distributions.Multinomial(4, torch.tensor([0.2, 0.3, 0.5]))\n"
            "v = torch.tensor([1.0, 2.0, 1.0])\n"
            "r = tuple(d.expand((4, *d.batch_shape)).batch_shape)"
        ),
    ),
    "torch.distributions.RelaxedOneHotCategorical": (
        (
            "d = torch.distributions.RelaxedOneHotCategorical(torch.tensor(0.7), "
            "probs=torch.tensor([0.2, 0.3, 0.5]))\nv = torch.tensor([0.3, 0.6, 0.1])\n"
            "r = d.log_prob(v), d.rsample((4, 3)).shape, d.probs, d.logits\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.RelaxedOneHotCategorical(torch.tensor(2.0), "
            "logits=torch.tensor([0.2, -1.0, 0.0]))\nv = torch.tensor([0.3, 0.6, 0.1])\n"
            "r = d.log_prob(v), d.rsample((4, 3)).shape, d.probs, d.logits\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
    ),
    "torch.distributions.RelaxedOneHotCategorical.probs": (
        (
            "d = torch.distributions.RelaxedOneHotCategorical(torch.tensor(0.7), "
            "probs=torch.tensor([0.2, 0.3, 0.5]))\nv = torch.tensor([0.3, 0.6, 0.1])\n"
            "r = d.probs"
        ),
    ),
    "torch.distributions.OneHotCategoricalStraightThrough": (
        (
            "d = "
            "torch.distributions.OneHotCategoricalStraightThrough(torch.tensor([0.2, "
            "0.3, 0.5]))\nv = torch.tensor([0.0, 1.0, 0.0])\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.rsample((4, 3)).shape\nshape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = "
            "torch.distributions.OneHotCategoricalStraightThrough(logits=torch.tensor(["
            "0.2, 1.0, 0.0]))\nv = torch.tensor([0.0, 1.0, 0.0])\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.rsample((4, 3)).shape\nshape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
    ),
    **alike(
        "torch.distributions.Multinomial",
        "total_count probs logits",
        (
            "d = torch.distributions.Multinomial(4, torch.tensor([0.2, 0.3, 0.5]))\n"
            "v = torch.tensor([1.0, 2.0, 1.0])\nr = d.{name}"
        ),
    ),
    **alike(
        "torch.distributions.RelaxedOneHotCategorical",
        "has_rsample temperature logits",
        (
            "d = torch.distributions.RelaxedOneHotCategorical(torch.tensor(0.7), "
            "probs=torch.tensor([0.2, 0.3, 0.5]))\nv = torch.tensor([0.3, 0.6, 0.1])\n"
            "r = d.{name}"
        ),
    ),
}
