"""Distributions of vectors and matrices, and those composed of others."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    "torch.distributions.Dirichlet": (
        (
            "d = torch.distributions.Dirichlet(torch.tensor([0.5, 1.5, 2.0]))\n"
            "v = torch.tensor([0.2, 0.3, 0.5])\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.rsample((4, 3)).shape\nshape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.Dirichlet(concentration=torch.ones(2, 3) * 2)\n"
            "v = torch.tensor([0.2, 0.3, 0.5])\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.rsample((4, 3)).shape\nshape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "s = torch.tensor([1.0, 2.5], requires_grad=True)\n"
            "d = torch.distributions.Dirichlet(s)\n"
            "r = d.log_prob(torch.tensor([0.3, 0.7])) + d.entropy()\nr.sum().backward()\n"
            "g = s.grad"
        ),
    ),
    "torch.distributions.Dirichlet.log_prob": (
        (
            "d = torch.distributions.Dirichlet(torch.tensor([0.5, 1.5, 2.0]))\n"
            "v = torch.tensor([0.2, 0.3, 0.5])\nr = d.log_prob(v)"
        ),
    ),
    "torch.distributions.Dirichlet.rsample": (
        (
            "d = torch.distributions.Dirichlet(torch.tensor([0.5, 1.5, 2.0]))\n"
            "v = torch.tensor([0.2, 0.3, 0.5])\nr = d.rsample((4, 3)).shape"
        ),
    ),
    "torch.distributions.Dirichlet.expand": (
        (
            "d = torch.distributions.Dirichlet(torch.tensor([0.5, 1.5, 2.0]))\n"
            "v = torch.tensor([0.2, 0.3, 0.5])\n"
            "r = tuple(d.expand((4, *d.batch_shape)).batch_shape)"
        ),
    ),
    "torch.distributions.Dirichlet.concentration": (
        (
            "d = torch.distributions.Dirichlet(torch.tensor([0.5, 1.5, 2.0]))\n"
            "v = torch.tensor([0.2, 0.3, 0.5])\nr = d.concentration"
        ),
    ),
    "torch.distributions.MultivariateNormal": (
        (
            "d = torch.distributions.MultivariateNormal(torch.zeros(2), "
            "torch.tensor([[2.0, 0.5], [0.5, 1.0]]))\nv = torch.tensor([0.3, 0.4])\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.rsample((4, 3)).shape, d.covariance_matrix\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.MultivariateNormal(torch.zeros(2), "
            "scale_tril=torch.tensor([[2.0, 0.0], [0.5, 1.0]]))\nv = torch.tensor([0.3, 0.4])\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.rsample((4, 3)).shape, d.covariance_matrix\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.MultivariateNormal(torch.ones(3, 2), "
            "precision_matrix=torch.eye(2))\nv = torch.tensor([0.3, 0.4])\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.rsample((4, 3)).shape, d.covariance_matrix\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
    ),
    "torch.distributions.MultivariateNormal.log_prob": (
        (
            "d = torch.distributions.MultivariateNormal(torch.zeros(2), "
            "torch.tensor([[2.0, 0.5], [0.5, 1.0]]))\nv = torch.tensor([0.3, 0.4])\n"
            "r = d.log_prob(v)"
        ),
    ),
    "torch.distributions.MultivariateNormal.expand": (
        (
            "d = torch.distributions.MultivariateNormal(torch.zeros(2), "
            "torch.tensor([[2.0, 0.5], [0.5, 1.0]]))\nv = torch.tensor([0.3, 0.4])\n"
            "r = tuple(d.expand((4, *d.batch_shape)).batch_shape)"
        ),
    ),
    **alike(
        "torch.distributions.MultivariateNormal",
        "loc covariance_matrix precision_matrix scale_tril",
        (
            "d = torch.distributions.MultivariateNormal(torch.zeros(2), "
            "torch.tensor([[2.0, 0.5], [0.5, 1.0]]))\nv = torch.tensor([0.3, 0.4])\n"
            "r = d.{name}"
        ),
    ),
    "torch.distributions.MixtureSameFamily": (
        (
            "d = "
            "torch.distributions.MixtureSameFamily(torch.distributions.Categorical(torc"
            "h.tensor([0.3, 0.7])), torch.distributions.Normal(torch.tensor([0.0, "
            "1.0]), torch.tensor([1.0, 0.5])))\nv = torch.tensor([0.3, 0.4])\n"
            "r = d.mean, d.variance, d.stddev, d.log_prob(v), d.sample((4,)).shape, "
            "d.sample().dtype, d.sample().requires_grad\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = "
            "torch.distributions.MixtureSameFamily(torch.distributions.Categorical(torc"
            "h.ones(3)), "
            "component_distribution=torch.distributions.Independent(torch.distributions"
            ".Normal(x[:, :2], p[:, :2]), 1))\nv = torch.tensor([0.3, 0.4])\n"
            "r = d.mean, d.variance, d.stddev, d.log_prob(v), d.sample((4,)).shape, "
            "d.sample().dtype, d.sample().requires_grad\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
    ),
    "torch.distributions.MixtureSameFamily.log_prob": (
        (
            "d = "
            "torch.distributions.MixtureSameFamily(torch.distributions.Categorical(torc"
            "h.tensor([0.3, 0.7])), torch.distributions.Normal(torch.tensor([0.0, "
            "1.0]), torch.tensor([1.0, 0.5])))\nv = torch.tensor([0.3, 0.4])\nr = d.log_prob(v)"
        ),
    ),
    "torch.distributions.MixtureSameFamily.sample": (
        (
            "d = "
            "torch.distributions.MixtureSameFamily(torch.distributions.Categorical(torc"
            "h.tensor([0.3, 0.7])), torch.distributions.Normal(torch.tensor([0.0, "
            "1.0]), torch.tensor([1.0, 0.5])))\nv = torch.tensor([0.3, 0.4])\n"
            "r = d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad"
        ),
    ),
    "torch.distributions.MixtureSameFamily.expand": (
        (
            "d = "
            "torch.distributions.MixtureSameFamily(torch.distributions.Categorical(torc"
            "h.tensor([0.3, 0.7])), torch.distributions.Normal(torch.tensor([0.0, "
            "1.0]), torch.tensor([1.0, 0.5])))\nv = torch.tensor([0.3, 0.4])\n"
            "r = tuple(d.expand((4, *d.batch_shape)).batch_shape)"
        ),
    ),
    "torch.distributions.LowRankMultivariateNormal": (
        (
            "d = torch.distributions.LowRankMultivariateNormal(torch.zeros(2), "
            "torch.tensor([[1.0], [0.5]]), torch.tensor([0.5, 2.0]))\n"
            "v = torch.tensor([0.3, 0.4])\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.rsample((4, 3)).shape, d.covariance_matrix, d.scale_tril, d.precision_matrix\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.LowRankMultivariateNormal(torch.ones(3, 2), "
            "torch.tensor([[1.0], [0.5]]), cov_diag=torch.ones(2))\n"
            "v = torch.tensor([0.3, 0.4])\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.rsample((4, 3)).shape, d.covariance_matrix, d.scale_tril, d.precision_matrix\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "s = torch.tensor([1.0, 2.0], requires_grad=True)\n"
            "d = torch.distributions.LowRankMultivariateNormal(s, s.unsqueeze(1), cov_diag=s)\n"
            "r = d.log_prob(torch.ones(2)) + d.entropy()\nr.sum().backward()\ng = s.grad"
        ),
    ),
    "torch.distributions.LowRankMultivariateNormal.log_prob": (
        (
            "d = torch.distributions.LowRankMultivariateNormal(torch.zeros(2), "
            "torch.tensor([[1.0], [0.5]]), torch.tensor([0.5, 2.0]))\n"
            "v = torch.tensor([0.3, 0.4])\nr = d.log_prob(v)"
        ),
    ),
    "torch.distributions.LowRankMultivariateNormal.expand": (
        (
            "d = torch.distributions.LowRankMultivariateNormal(torch.zeros(2), "
            "torch.tensor([[1.0], [0.5]]), torch.tensor([0.5, 2.0]))\n"
            "v = torch.tensor([0.3, 0.4])\nr = tuple(d.expand((4, *d.batch_shape)).batch_shape)"
        ),
    ),
    **alike(
        "torch.distributions.LowRankMultivariateNormal",
        "loc cov_diag",
        (
            "d = torch.distributions.LowRankMultivariateNormal(torch.zeros(2), "
            "torch.tensor([[1.0], [0.5]]), torch.tensor([0.5, 2.0]))\n"
            "v = torch.tensor([0.3, 0.4])\nr = d.{name}"
        ),
    ),
    "torch.distributions.Wishart": (
        (
            "d = torch.distributions.Wishart(torch.tensor(4.0), torch.tensor([[2.0, "
            "0.5], [0.5, 1.0]]))\nv = torch.tensor([[2.0, 0.3], [0.3, 1.0]])\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.rsample((4, 3)).shape, d.covariance_matrix, d.precision_matrix\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.Wishart(torch.tensor([3.0, 5.0]), "
            "scale_tril=torch.tensor([[2.0, 0.0], [0.5, 1.0]]))\n"
            "v = torch.tensor([[2.0, 0.3], [0.3, 1.0]])\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.rsample((4, 3)).shape, d.covariance_matrix, d.precision_matrix\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.Wishart(3.5, precision_matrix=torch.eye(2))\n"
            "v = torch.tensor([[2.0, 0.3], [0.3, 1.0]])\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.rsample((4, 3)).shape, d.covariance_matrix, d.precision_matrix\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
    ),
    "torch.distributions.Wishart.log_prob": (
        (
            "d = torch.distributions.Wishart(torch.tensor(4.0), torch.tensor([[2.0, "
            "0.5], [0.5, 1.0]]))\nv = torch.tensor([[2.0, 0.3], [0.3, 1.0]])\nr = d.log_prob(v)"
        ),
    ),
    "torch.distributions.Wishart.rsample": (
        (
            "d = torch.distributions.Wishart(torch.tensor(4.0), torch.tensor([[2.0, "
            "0.5], [0.5, 1.0]]))\nv = torch.tensor([[2.0, 0.3], [0.3, 1.0]])\n"
            "r = d.rsample((4, 3)).shape"
        ),
    ),
    "torch.distributions.Wishart.expand": (
        (
            "d = torch.distributions.Wishart(torch.tensor(4.0), torch.tensor([[2.0, "
            "0.5], [0.5, 1.0]]))\nv = torch.tensor([[2.0, 0.3], [0.3, 1.0]])\n"
            "r = tuple(d.expand((4, *d.batch_shape)).batch_shape)"
        ),
    ),
    **alike(
        "torch.distributions.Wishart",
        "df covariance_matrix precision_matrix scale_tril",
        (
            "d = torch.distributions.Wishart(torch.tensor(4.0), torch.tensor([[2.0, "
            "0.5], [0.5, 1.0]]))\nv = torch.tensor([[2.0, 0.3], [0.3, 1.0]])\nr = d.{name}"
        ),
    ),
    "torch.distributions.LKJCholesky": (
        (
            "d = torch.distributions.LKJCholesky(3)\nv = torch.tensor(torch.eye(3))\n"
            "r = d.log_prob(v), d.sample((4,)).shape, d.sample().dtype, "
            "d.sample().requires_grad\nshape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.LKJCholesky(3, concentration=torch.tensor([0.5, 2.0]))\n"
            "v = torch.tensor(torch.eye(3))\n"
            "r = d.log_prob(v), d.sample((4,)).shape, d.sample().dtype, "
            "d.sample().requires_grad\nshape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
    ),
    "torch.distributions.LKJCholesky.log_prob": (
        (
            "d = torch.distributions.LKJCholesky(3)\nv = torch.tensor(torch.eye(3))\n"
            "r = d.log_prob(v)"
        ),
    ),
    "torch.distributions.LKJCholesky.sample": (
        (
            "d = torch.distributions.LKJCholesky(3)\nv = torch.tensor(torch.eye(3))\n"
            "r = d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad"
        ),
    ),
    "torch.distributions.LKJCholesky.expand": (
        (
            "d = torch.distributions.LKJCholesky(3)\nv = torch.tensor(torch.eye(3))\n"
            "r = tuple(d.expand((4, *d.batch_shape)).batch_shape)"
        ),
    ),
    "torch.distributions.LKJCholesky.dim": (
        "d = torch.distributions.LKJCholesky(3)\nv = torch.tensor(torch.eye(3))\nr = d.dim",
    ),
    "torch.distributions.LogisticNormal": (
        (
            "d = torch.distributions.LogisticNormal(torch.zeros(2), torch.ones(2))\n"
            "v = torch.tensor([0.2, 0.3, 0.5])\n"
            "r = d.log_prob(v), d.sample((4,)).shape, d.sample().dtype, "
            "d.sample().requires_grad, d.rsample((4, 3)).shape\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
        (
            "d = torch.distributions.LogisticNormal(torch.tensor([0.5, 2.5]), "
            "scale=torch.tensor([0.5, 2.5]))\nv = torch.tensor([0.2, 0.3, 0.5])\n"
            "r = d.log_prob(v), d.sample((4,)).shape, d.sample().dtype, "
            "d.sample().requires_grad, d.rsample((4, 3)).shape\n"
            "shape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
    ),
    **alike(
        "torch.distributions.LogisticNormal",
        "has_rsample loc scale",
        (
            "d = torch.distributions.LogisticNormal(torch.zeros(2), torch.ones(2))\n"
            "v = torch.tensor([0.2, 0.3, 0.5])\nr = d.{name}"
        ),
    ),
    "torch.distributions.Independent": (
        (
            "d = "
            "torch.distributions.Independent(torch.distributions.Normal(torch.zeros(3, "
            "2), torch.ones(3, 2)), 1)\nv = torch.tensor([0.3, 0.4])\n"
            "r = d.mean, d.mode, d.variance, d.stddev, d.log_prob(v), d.entropy(), "
            "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad, "
            "d.rsample((4, 3)).shape\nshape = tuple(d.batch_shape), tuple(d.event_shape)"
        ),
    ),
    "torch.distributions.Independent.log_prob": (
        (
            "d = "
            "torch.distributions.Independent(torch.distributions.Normal(torch.zeros(3, "
            "2), torch.ones(3, 2)), 1)\nv = torch.tensor([0.3, 0.4])\nr = d.log_prob(v)"
        ),
    ),
    "torch.distributions.Independent.sample": (
        (
            "d = "
            "torch.distributions.Independent(torch.distributions.Normal(torch.zeros(3, "
            "2), torch.ones(3, 2)), 1)\nv = torch.tensor([0.3, 0.4])\n"
            "r = d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad"
        ),
    ),
    "torch.distributions.Independent.expand": (
        (
            "d = "
            "torch.distributions.Independent(torch.distributions.Normal(torch.zeros(3, "
            "2), torch.ones(3, 2)), 1)\nv = torch.tensor([0.3, 0.4])\n"
            "r = tuple(d.expand((4, *d.batch_shape)).batch_shape)"
        ),
    ),
    **alike(
        "torch.distributions.Independent",
        "has_rsample has_enumerate_support reinterpreted_batch_ndims",
        (
            "d = "
            "torch.distributions.Independent(torch.distributions.Normal(torch.zeros(3, "
            "2), torch.ones(3, 2)), 1)\nv = torch.tensor([0.3, 0.4])\nr = d.{name}"
        ),
    ),
    **alike(
        "torch.distributions.MixtureSameFamily",
        "mixture_distribution component_distribution",
        (
            "d = "
            "torch.distributions.MixtureSameFamily(torch.distributions.Categorical(torc"
            "h.tensor([0.3, 0.7])), torch.distributions.Normal(torch.tensor([0.0, "
            "1.0]), torch.tensor([1.0, 0.5])))\nr = d.{name}.mean\nd = None"
        ),
    ),
    "torch.distributions.Independent.base_dist": (
        (
            "d = torch.distributions.Independent(torch.distributions.Normal(x, 1.0), 1)\n"
            "r = d.base_dist.mean, str(d)\nd = None"
        ),
    ),
    "torch.distributions.LogisticNormal.base_dist": (
        ("r = torch.distributions.LogisticNormal(torch.zeros(2), torch.ones(2)).base_dist.mean"),
        (
            "d = torch.distributions.LogisticNormal(torch.zeros(2), "
            "torch.ones(2)).expand((4,))\n"
            "r = d.base_dist.mean, d.log_prob(torch.tensor([0.2, 0.3, 0.5]))\nd = None"
        ),
    ),
    **alike(
        "torch.distributions.LowRankMultivariateNormal",
        "covariance_matrix scale_tril precision_matrix",
        (
            "d = torch.distributions.LowRankMultivariateNormal(torch.zeros(2), x[:2, "
            ":1], torch.ones(2))\nr = d.{name}"
        ),
    ),
}
