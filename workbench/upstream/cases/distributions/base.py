"""Members of all distributions, divergences, and helpers of the module."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    "torch.distributions.Distribution": (
        (
            "d = torch.distributions.Normal(0.0, 1.0)\n"
            "r = isinstance(d, torch.distributions.Distribution), str(d)"
        ),
        ("d = torch.distributions.Gumbel(torch.tensor([0.5, 2.5]), 1.0)\nr = str(d)\nd = None"),
        (
            "r = torch.distributions.Poisson(4.0).log_prob(n), "
            "torch.distributions.Gamma(2.0, 1.0).log_prob(n + 1), "
            "torch.distributions.StudentT(2.0).log_prob(n), "
            "torch.distributions.Uniform(0.0, 5.0).cdf(n), "
            "torch.distributions.Normal(0.0, 1.0).log_prob(n), "
            "torch.distributions.Multinomial(3, torch.ones(3)).log_prob(n)"
        ),
    ),
    "torch.distributions.Distribution.batch_shape": (
        (
            "d = torch.distributions.Normal(torch.tensor([0.5, 2.5]), "
            "torch.tensor([0.5, 2.5]))\nv = torch.tensor(0.3)\nr = tuple(d.batch_shape)"
        ),
    ),
    "torch.distributions.Distribution.event_shape": (
        (
            "d = torch.distributions.Normal(torch.tensor([0.5, 2.5]), "
            "torch.tensor([0.5, 2.5]))\nv = torch.tensor(0.3)\nr = tuple(d.event_shape)"
        ),
    ),
    **alike(
        "torch.distributions.Distribution",
        "mean variance stddev mode has_rsample has_enumerate_support",
        (
            "d = torch.distributions.Normal(torch.tensor([0.5, 2.5]), "
            "torch.tensor([0.5, 2.5]))\nv = torch.tensor(0.3)\nr = d.{name}"
        ),
    ),
    **alike(
        "torch.distributions.Distribution",
        "log_prob cdf icdf",
        (
            "d = torch.distributions.Normal(torch.tensor([0.5, 2.5]), "
            "torch.tensor([0.5, 2.5]))\nv = torch.tensor(0.3)\nr = d.{name}(v)"
        ),
    ),
    "torch.distributions.Distribution.entropy": (
        (
            "d = torch.distributions.Normal(torch.tensor([0.5, 2.5]), "
            "torch.tensor([0.5, 2.5]))\nv = torch.tensor(0.3)\nr = d.entropy()"
        ),
    ),
    "torch.distributions.Distribution.perplexity": (
        (
            "d = torch.distributions.Normal(torch.tensor([0.5, 2.5]), "
            "torch.tensor([0.5, 2.5]))\nv = torch.tensor(0.3)\nr = d.perplexity()"
        ),
    ),
    "torch.distributions.Distribution.sample": (
        (
            "d = torch.distributions.Normal(torch.tensor([0.5, 2.5]), "
            "torch.tensor([0.5, 2.5]))\nv = torch.tensor(0.3)\nr = d.sample((2,)).shape"
        ),
    ),
    "torch.distributions.Distribution.sample_n": (
        (
            "d = torch.distributions.Normal(torch.tensor([0.5, 2.5]), "
            "torch.tensor([0.5, 2.5]))\nv = torch.tensor(0.3)\nr = d.sample_n(3).shape"
        ),
    ),
    "torch.distributions.Distribution.rsample": (
        (
            "d = torch.distributions.Normal(torch.tensor([0.5, 2.5]), "
            "torch.tensor([0.5, 2.5]))\nv = torch.tensor(0.3)\nr = d.rsample((2,)).shape"
        ),
    ),
    "torch.distributions.Distribution.expand": (
        (
            "d = torch.distributions.Normal(torch.tensor([0.5, 2.5]), "
            "torch.tensor([0.5, 2.5]))\nv = torch.tensor(0.3)\nr = d.expand((4, 2)).log_prob(v)"
        ),
    ),
    "torch.distributions.Distribution.enumerate_support": (
        (
            "d = torch.distributions.Normal(torch.tensor([0.5, 2.5]), "
            "torch.tensor([0.5, 2.5]))\nv = torch.tensor(0.3)\n"
            "r = torch.distributions.Bernoulli(0.3).enumerate_support()"
        ),
    ),
    "torch.distributions.kl_divergence": (
        (
            "one = [torch.distributions.Uniform(0.0, torch.tensor([0.5, 2.5])), "
            "torch.distributions.Gamma(torch.tensor([0.5, 2.5]), 1.5), "
            "torch.distributions.Exponential(torch.tensor([0.5, 2.5])), "
            "torch.distributions.Beta(torch.tensor([0.5, 2.5]), 2.0), "
            "torch.distributions.Pareto(torch.tensor([0.5, 2.5]), 3.0), "
            "torch.distributions.Laplace(0.0, torch.tensor([0.5, 2.5])), "
            "torch.distributions.Gumbel(0.0, torch.tensor([0.5, 2.5])), "
            "torch.distributions.ContinuousBernoulli(torch.tensor([0.2, 0.6]))]\n"
            "r = [torch.distributions.kl_divergence(p, "
            "torch.distributions.Normal(torch.tensor([0.5, 2.5]), 2.0)) for p in one]\n"
            "s = [torch.distributions.kl_divergence(p, "
            "torch.distributions.Exponential(torch.tensor([0.5, 2.5]))) for p in "
            "one[:2] + one[3:5]]\n"
            "t = [torch.distributions.kl_divergence(p, "
            "torch.distributions.Gamma(torch.tensor([0.5, 2.5]), 0.5)) for p in "
            "(one[0], one[2], *one[3:5])]\n"
            "u = [torch.distributions.kl_divergence(p, "
            "torch.distributions.Uniform(-1.0, torch.tensor([0.5, 2.5]))) for p in "
            "(*one[2:6], one[7])]\n"
            "v = torch.distributions.kl_divergence(torch.distributions.Poisson(2.0), "
            "torch.distributions.Bernoulli(0.5)), "
            "torch.distributions.kl_divergence(torch.distributions.Uniform(-torch.tenso"
            "r([0.5, 2.5]), 1.0), torch.distributions.Exponential(1.0)), "
            "torch.distributions.kl_divergence(torch.distributions.Normal(0.0, "
            "torch.tensor([0.5, 2.5])), torch.distributions.Gamma(1.0, 1.0))\none = None"
        ),
        (
            "p = torch.distributions.Normal(0.0, 1.0)\n"
            "q = torch.distributions.Normal(torch.tensor([0.5, 2.5]), "
            "torch.tensor([0.5, 2.5]))\nr = torch.distributions.kl_divergence(p, q)\n"
            "p = q = None"
        ),
        (
            "p = torch.distributions.Laplace(0.0, 1.0)\n"
            "q = torch.distributions.Laplace(torch.tensor([0.5, 2.5]), "
            "torch.tensor([0.5, 2.5]))\nr = torch.distributions.kl_divergence(p, q)\n"
            "p = q = None"
        ),
        (
            "p = torch.distributions.Uniform(0.0, 1.0)\n"
            "q = torch.distributions.Uniform(-0.5, torch.tensor([2.0, 0.5]))\n"
            "r = torch.distributions.kl_divergence(p, q)\np = q = None"
        ),
        (
            "p = torch.distributions.Exponential(1.0)\n"
            "q = torch.distributions.Exponential(torch.tensor([0.5, 2.5]))\n"
            "r = torch.distributions.kl_divergence(p, q)\np = q = None"
        ),
        (
            "p = torch.distributions.Gamma(2.0, 1.0)\n"
            "q = torch.distributions.Gamma(torch.tensor([0.5, 2.5]), "
            "torch.tensor([0.5, 2.5]))\nr = torch.distributions.kl_divergence(p, q)\n"
            "p = q = None"
        ),
        (
            "p = torch.distributions.Beta(2.0, 1.0)\n"
            "q = torch.distributions.Beta(torch.tensor([0.5, 2.5]), torch.tensor([0.5, 2.5]))\n"
            "r = torch.distributions.kl_divergence(p, q)\np = q = None"
        ),
        (
            "p = torch.distributions.Bernoulli(0.3)\n"
            "q = torch.distributions.Bernoulli(torch.tensor([0.2, 0.9]))\n"
            "r = torch.distributions.kl_divergence(p, q)\np = q = None"
        ),
        (
            "p = torch.distributions.Geometric(0.3)\n"
            "q = torch.distributions.Geometric(torch.tensor([0.2, 0.9]))\n"
            "r = torch.distributions.kl_divergence(p, q)\np = q = None"
        ),
        (
            "p = torch.distributions.Poisson(2.0)\n"
            "q = torch.distributions.Poisson(torch.tensor([0.5, 2.5]))\n"
            "r = torch.distributions.kl_divergence(p, q)\np = q = None"
        ),
        (
            "p = torch.distributions.Dirichlet(torch.ones(3))\n"
            "q = torch.distributions.Dirichlet(torch.tensor([0.5, 1.5, 2.0]))\n"
            "r = torch.distributions.kl_divergence(p, q)\np = q = None"
        ),
        (
            "p = torch.distributions.Categorical(torch.tensor([0.2, 0.8]))\n"
            "q = torch.distributions.Categorical(torch.tensor([0.5, 0.5]))\n"
            "r = torch.distributions.kl_divergence(p, q)\np = q = None"
        ),
        (
            "p = torch.distributions.Gumbel(0.0, 1.0)\n"
            "q = torch.distributions.Gumbel(torch.tensor([0.5, 2.5]), "
            "torch.tensor([0.5, 2.5]))\nr = torch.distributions.kl_divergence(p, q)\n"
            "p = q = None"
        ),
        (
            "p = torch.distributions.Cauchy(0.0, 1.0)\n"
            "q = torch.distributions.Cauchy(torch.tensor([0.5, 2.5]), "
            "torch.tensor([0.5, 2.5]))\nr = torch.distributions.kl_divergence(p, q)\n"
            "p = q = None"
        ),
        (
            "p = torch.distributions.HalfNormal(1.0)\n"
            "q = torch.distributions.HalfNormal(torch.tensor([0.5, 2.5]))\n"
            "r = torch.distributions.kl_divergence(p, q)\np = q = None"
        ),
        (
            "p = torch.distributions.HalfCauchy(1.0)\n"
            "q = torch.distributions.HalfCauchy(torch.tensor([0.5, 2.5]))\n"
            "r = torch.distributions.kl_divergence(p, q)\np = q = None"
        ),
        (
            "p = torch.distributions.LogNormal(0.0, 1.0)\n"
            "q = torch.distributions.LogNormal(torch.tensor([0.5, 2.5]), "
            "torch.tensor([0.5, 2.5]))\nr = torch.distributions.kl_divergence(p, q)\n"
            "p = q = None"
        ),
        (
            "p = torch.distributions.Pareto(1.0, 2.0)\n"
            "q = torch.distributions.Pareto(torch.tensor([0.5, 2.5]), "
            "torch.tensor([0.5, 2.5]))\nr = torch.distributions.kl_divergence(p, q)\n"
            "p = q = None"
        ),
        (
            "p = torch.distributions.Binomial(5, 0.3)\n"
            "q = torch.distributions.Binomial(torch.tensor([5.0, 3.0]), "
            "torch.tensor([0.2, 0.9]))\nr = torch.distributions.kl_divergence(p, q)\n"
            "p = q = None"
        ),
        (
            "p = torch.distributions.OneHotCategorical(torch.tensor([0.2, 0.8]))\n"
            "q = torch.distributions.OneHotCategorical(torch.tensor([0.5, 0.5]))\n"
            "r = torch.distributions.kl_divergence(p, q)\np = q = None"
        ),
        (
            "p = torch.distributions.MultivariateNormal(torch.zeros(2), "
            "torch.tensor([[2.0, 0.5], [0.5, 1.0]]))\n"
            "q = torch.distributions.MultivariateNormal(torch.ones(3, 2), "
            "scale_tril=torch.tensor([[2.0, 0.0], [0.5, 1.0]]))\n"
            "r = torch.distributions.kl_divergence(p, q)\np = q = None"
        ),
    ),
    "torch.distributions.ExponentialFamily": (
        (
            "class Own(torch.distributions.ExponentialFamily):\n    _mean_carrier_measure = 0\n"
            "    def __init__(self, rate):\n        self.rate = rate\n"
            "        super().__init__(rate.shape, validate_args=False)\n    @property\n"
            "    def _natural_params(self):\n        return (-self.rate,)\n"
            "    def _log_normalizer(self, x):\n        return -torch.log(-x)\n"
            "r = Own(torch.tensor([0.5, 2.5])).entropy(), tuple(Own(torch.tensor([0.5, "
            "2.5])).batch_shape), isinstance(Own(torch.tensor([0.5, 2.5])), "
            "torch.distributions.ExponentialFamily), "
            "isinstance(torch.distributions.Normal(0.0, 1.0), Own)\nOwn = None"
        ),
        (
            "r = [issubclass(one, torch.distributions.ExponentialFamily) for one in "
            "(torch.distributions.Normal, torch.distributions.Chi2, "
            "torch.distributions.Uniform, torch.distributions.LogNormal)], "
            "isinstance(torch.distributions.Gamma(1.0, 1.0), "
            "torch.distributions.ExponentialFamily)"
        ),
    ),
    "torch.distributions.register_kl": (
        (
            "class Fixed(torch.distributions.Normal):\n    pass\n"
            "@torch.distributions.register_kl(Fixed, torch.distributions.Normal)\n"
            "def apart(p, q):\n    return p.loc - q.loc\n"
            "r = torch.distributions.kl_divergence(Fixed(torch.tensor([0.5, 2.5]), "
            "1.0), torch.distributions.Normal(0.0, 1.0))\n"
            "s = "
            "torch.distributions.kl_divergence(torch.distributions.Normal(torch.tensor("
            "[0.5, 2.5]), 1.0), torch.distributions.Normal(0.0, 1.0))\nFixed = None"
        ),
    ),
    "torch.distributions.utils.clamp_probs": (
        "r = torch.distributions.utils.clamp_probs(p * 2 - 0.5)",
    ),
    "torch.distributions.utils.probs_to_logits": (
        "r = torch.distributions.utils.probs_to_logits(p)",
        "r = torch.distributions.utils.probs_to_logits(probs=p, is_binary=True)",
    ),
    "torch.distributions.utils.logits_to_probs": (
        "r = torch.distributions.utils.logits_to_probs(x)",
        "r = torch.distributions.utils.logits_to_probs(x, True)",
    ),
    "torch.distributions.utils.broadcast_all": (
        "r = torch.distributions.utils.broadcast_all(x, 2)",
        "r = torch.distributions.utils.broadcast_all(1, 2.5)",
        "r = torch.distributions.utils.broadcast_all(x, y[0])",
    ),
    "torch.distributions.utils.vec_to_tril_matrix": (
        "r = torch.distributions.utils.vec_to_tril_matrix(x[:, :3])",
        "r = torch.distributions.utils.vec_to_tril_matrix(x[:, :1], diag=-1)",
        "r = torch.distributions.utils.vec_to_tril_matrix(a[..., :3])",
    ),
    "torch.distributions.utils.tril_matrix_to_vec": (
        "r = torch.distributions.utils.tril_matrix_to_vec(sq)",
        "r = torch.distributions.utils.tril_matrix_to_vec(mat=sq, diag=-1)",
    ),
}
