"""Constraints on the arguments and values of distributions."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    "torch.distributions.Beta.support": (
        (
            "d = torch.distributions.Beta(0.5, 1.5)\n"
            "r = d.support.check(torch.tensor([0.0, 1.0])), str(d.support)"
        ),
    ),
    "torch.distributions.Beta.arg_constraints": (
        (
            "d = torch.distributions.Beta(0.5, 1.5)\n"
            "r = {k: str(v) for k, v in d.arg_constraints.items()}"
        ),
    ),
    "torch.distributions.Binomial.support": (
        (
            "d = torch.distributions.Binomial(3, 0.4)\n"
            "r = d.support.check(torch.tensor([0.0, 1.0])), str(d.support)"
        ),
    ),
    "torch.distributions.Binomial.arg_constraints": (
        (
            "d = torch.distributions.Binomial(3, 0.4)\n"
            "r = {k: str(v) for k, v in d.arg_constraints.items()}"
        ),
    ),
    "torch.distributions.Categorical.support": (
        (
            "d = torch.distributions.Categorical(torch.tensor([0.2, 0.8]))\n"
            "r = d.support.check(torch.tensor([0.0, 1.0])), str(d.support)"
        ),
    ),
    "torch.distributions.Categorical.arg_constraints": (
        (
            "d = torch.distributions.Categorical(torch.tensor([0.2, 0.8]))\n"
            "r = {k: str(v) for k, v in d.arg_constraints.items()}"
        ),
    ),
    "torch.distributions.Dirichlet.support": (
        (
            "d = torch.distributions.Dirichlet(torch.ones(2))\n"
            "r = d.support.check(torch.tensor([0.0, 1.0])), str(d.support)"
        ),
    ),
    "torch.distributions.Dirichlet.arg_constraints": (
        (
            "d = torch.distributions.Dirichlet(torch.ones(2))\n"
            "r = {k: str(v) for k, v in d.arg_constraints.items()}"
        ),
    ),
    "torch.distributions.FisherSnedecor.support": (
        (
            "d = torch.distributions.FisherSnedecor(2.0, 3.0)\n"
            "r = d.support.check(torch.tensor([0.0, 1.0])), str(d.support)"
        ),
    ),
    "torch.distributions.FisherSnedecor.arg_constraints": (
        (
            "d = torch.distributions.FisherSnedecor(2.0, 3.0)\n"
            "r = {k: str(v) for k, v in d.arg_constraints.items()}"
        ),
    ),
    **alike(
        "torch.distributions",
        "Gamma.support InverseGamma.support Kumaraswamy.support Pareto.support Weibull.support",
        (
            "d = torch.distributions.{owner}(1.0, 2.0)\n"
            "r = d.support.check(torch.tensor([0.0, 1.0])), str(d.support)"
        ),
    ),
    **alike(
        "torch.distributions",
        "Gamma.arg_constraints InverseGamma.arg_constraints "
        "Kumaraswamy.arg_constraints Pareto.arg_constraints Weibull.arg_constraints",
        (
            "d = torch.distributions.{owner}(1.0, 2.0)\n"
            "r = {k: str(v) for k, v in d.arg_constraints.items()}"
        ),
    ),
    "torch.distributions.Uniform.support": (
        (
            "d = torch.distributions.Uniform(0.0, 2.0)\n"
            "r = d.support.check(torch.tensor([0.0, 1.0])), str(d.support)"
        ),
    ),
    "torch.distributions.Uniform.arg_constraints": (
        (
            "d = torch.distributions.Uniform(0.0, 2.0)\n"
            "r = {k: str(v) for k, v in d.arg_constraints.items()}"
        ),
    ),
    "torch.distributions.Multinomial.support": (
        (
            "d = torch.distributions.Multinomial(2, torch.tensor([0.2, 0.8]))\n"
            "r = d.support.check(torch.tensor([0.0, 1.0])), str(d.support)"
        ),
    ),
    "torch.distributions.Multinomial.arg_constraints": (
        (
            "d = torch.distributions.Multinomial(2, torch.tensor([0.2, 0.8]))\n"
            "r = {k: str(v) for k, v in d.arg_constraints.items()}"
        ),
    ),
    "torch.distributions.NegativeBinomial.support": (
        (
            "d = torch.distributions.NegativeBinomial(3, 0.4)\n"
            "r = d.support.check(torch.tensor([0.0, 1.0])), str(d.support)"
        ),
    ),
    "torch.distributions.NegativeBinomial.arg_constraints": (
        (
            "d = torch.distributions.NegativeBinomial(3, 0.4)\n"
            "r = {k: str(v) for k, v in d.arg_constraints.items()}"
        ),
    ),
    "torch.distributions.LowRankMultivariateNormal.support": (
        (
            "d = torch.distributions.LowRankMultivariateNormal(torch.zeros(2), "
            "torch.ones(2, 1), torch.ones(2))\n"
            "r = d.support.check(torch.tensor([0.0, 1.0])), str(d.support)"
        ),
    ),
    "torch.distributions.LowRankMultivariateNormal.arg_constraints": (
        (
            "d = torch.distributions.LowRankMultivariateNormal(torch.zeros(2), "
            "torch.ones(2, 1), torch.ones(2))\n"
            "r = {k: str(v) for k, v in d.arg_constraints.items()}"
        ),
    ),
    "torch.distributions.Wishart.support": (
        (
            "d = torch.distributions.Wishart(torch.tensor(3.0), torch.eye(2))\n"
            "r = d.support.check(torch.stack([torch.eye(2), -torch.eye(2)])), str(d.support)"
        ),
    ),
    "torch.distributions.Wishart.arg_constraints": (
        (
            "d = torch.distributions.Wishart(torch.tensor(3.0), torch.eye(2))\n"
            "r = {k: str(v) for k, v in d.arg_constraints.items()}"
        ),
    ),
    "torch.distributions.LKJCholesky.support": (
        (
            "d = torch.distributions.LKJCholesky(2)\n"
            "r = d.support.check(torch.stack([torch.eye(2), -torch.eye(2)])), str(d.support)"
        ),
    ),
    "torch.distributions.LKJCholesky.arg_constraints": (
        (
            "d = torch.distributions.LKJCholesky(2)\n"
            "r = {k: str(v) for k, v in d.arg_constraints.items()}"
        ),
    ),
    "torch.distributions.VonMises.support": (
        (
            "d = torch.distributions.VonMises(torch.tensor(0.5), torch.tensor(2.0))\n"
            "r = d.support.check(torch.tensor([0.0, 1.0])), str(d.support)"
        ),
    ),
    "torch.distributions.VonMises.arg_constraints": (
        (
            "d = torch.distributions.VonMises(torch.tensor(0.5), torch.tensor(2.0))\n"
            "r = {k: str(v) for k, v in d.arg_constraints.items()}"
        ),
    ),
    "torch.distributions.GeneralizedPareto.support": (
        (
            "d = torch.distributions.GeneralizedPareto(0.0, 1.0, -0.5)\n"
            "r = d.support.check(torch.tensor([0.0, 1.0])), str(d.support)"
        ),
    ),
    "torch.distributions.GeneralizedPareto.arg_constraints": (
        (
            "d = torch.distributions.GeneralizedPareto(0.0, 1.0, -0.5)\n"
            "r = {k: str(v) for k, v in d.arg_constraints.items()}"
        ),
    ),
    "torch.distributions.LogisticNormal.support": (
        (
            "d = torch.distributions.LogisticNormal(torch.zeros(1), torch.ones(1))\n"
            "r = d.support.check(torch.tensor([0.0, 1.0])), str(d.support)"
        ),
    ),
    "torch.distributions.LogisticNormal.arg_constraints": (
        (
            "d = torch.distributions.LogisticNormal(torch.zeros(1), torch.ones(1))\n"
            "r = {k: str(v) for k, v in d.arg_constraints.items()}"
        ),
    ),
    "torch.distributions.MultivariateNormal.support": (
        (
            "d = torch.distributions.MultivariateNormal(torch.zeros(2), torch.eye(2))\n"
            "r = d.support.check(torch.tensor([0.0, 1.0])), str(d.support)"
        ),
    ),
    "torch.distributions.MultivariateNormal.arg_constraints": (
        (
            "d = torch.distributions.MultivariateNormal(torch.zeros(2), torch.eye(2))\n"
            "r = {k: str(v) for k, v in d.arg_constraints.items()}"
        ),
    ),
    "torch.distributions.OneHotCategorical.support": (
        (
            "d = torch.distributions.OneHotCategorical(torch.tensor([0.2, 0.8]))\n"
            "r = d.support.check(torch.tensor([0.0, 1.0])), str(d.support)"
        ),
    ),
    "torch.distributions.OneHotCategorical.arg_constraints": (
        (
            "d = torch.distributions.OneHotCategorical(torch.tensor([0.2, 0.8]))\n"
            "r = {k: str(v) for k, v in d.arg_constraints.items()}"
        ),
    ),
    "torch.distributions.RelaxedBernoulli.support": (
        (
            "d = torch.distributions.RelaxedBernoulli(torch.tensor(0.5), 0.4)\n"
            "r = d.support.check(torch.tensor([0.0, 1.0])), str(d.support)"
        ),
    ),
    "torch.distributions.RelaxedBernoulli.arg_constraints": (
        (
            "d = torch.distributions.RelaxedBernoulli(torch.tensor(0.5), 0.4)\n"
            "r = {k: str(v) for k, v in d.arg_constraints.items()}"
        ),
    ),
    "torch.distributions.RelaxedOneHotCategorical.support": (
        (
            "d = torch.distributions.RelaxedOneHotCategorical(torch.tensor(0.5), "
            "torch.tensor([0.2, 0.8]))\n"
            "r = d.support.check(torch.tensor([0.0, 1.0])), str(d.support)"
        ),
    ),
    "torch.distributions.RelaxedOneHotCategorical.arg_constraints": (
        (
            "d = torch.distributions.RelaxedOneHotCategorical(torch.tensor(0.5), "
            "torch.tensor([0.2, 0.8]))\nr = {k: str(v) for k, v in d.arg_constraints.items()}"
        ),
    ),
    **alike(
        "torch.distributions",
        "Normal.support LogNormal.support Laplace.support Cauchy.support Gumbel.support",
        (
            "d = torch.distributions.{owner}(0.0, 1.0)\n"
            "r = d.support.check(torch.tensor([0.0, 1.0])), str(d.support)"
        ),
    ),
    **alike(
        "torch.distributions",
        "Normal.arg_constraints LogNormal.arg_constraints Laplace.arg_constraints "
        "Cauchy.arg_constraints Gumbel.arg_constraints",
        (
            "d = torch.distributions.{owner}(0.0, 1.0)\n"
            "r = {k: str(v) for k, v in d.arg_constraints.items()}"
        ),
    ),
    **alike(
        "torch.distributions",
        "HalfNormal.support HalfCauchy.support Exponential.support Poisson.support "
        "StudentT.support",
        (
            "d = torch.distributions.{owner}(1.0)\n"
            "r = d.support.check(torch.tensor([0.0, 1.0])), str(d.support)"
        ),
    ),
    **alike(
        "torch.distributions",
        "HalfNormal.arg_constraints HalfCauchy.arg_constraints "
        "Exponential.arg_constraints Poisson.arg_constraints StudentT.arg_constraints",
        (
            "d = torch.distributions.{owner}(1.0)\n"
            "r = {k: str(v) for k, v in d.arg_constraints.items()}"
        ),
    ),
    **alike(
        "torch.distributions",
        "Bernoulli.support Geometric.support ContinuousBernoulli.support",
        (
            "d = torch.distributions.{owner}(0.4)\n"
            "r = d.support.check(torch.tensor([0.0, 1.0])), str(d.support)"
        ),
    ),
    **alike(
        "torch.distributions",
        "Bernoulli.arg_constraints Geometric.arg_constraints ContinuousBernoulli.arg_constraints",
        (
            "d = torch.distributions.{owner}(0.4)\n"
            "r = {k: str(v) for k, v in d.arg_constraints.items()}"
        ),
    ),
    "torch.distributions.Distribution.support": (
        (
            "d = torch.distributions.Normal(0.0, 1.0)\n"
            "r = d.support is torch.distributions.constraints.real, "
            "d.arg_constraints['scale'] is torch.distributions.constraints.positive, "
            "str(d.support)"
        ),
    ),
    "torch.distributions.Distribution.arg_constraints": (
        "r = str(torch.distributions.Normal(0.0, 1.0).arg_constraints)",
    ),
    "torch.distributions.Distribution.set_default_validate_args": (
        (
            "torch.distributions.Distribution.set_default_validate_args(False)\n"
            "d = torch.distributions.Normal(0.0, -1.0)\n"
            "torch.distributions.Distribution.set_default_validate_args(True)\nr = d.scale"
        ),
    ),
    **alike(
        "torch.distributions",
        "biject_to transform_to",
        (
            "t = torch.distributions.{name}(torch.distributions.constraints.real)\n"
            "y = t(torch.tensor([[0.5, -1.0], [0.3, 2.0]]))\nr = t.inv(y)\nt = None"
        ),
        (
            "t = torch.distributions.{name}(torch.distributions.constraints.positive)\n"
            "y = t(torch.tensor([[0.5, -1.0], [0.3, 2.0]]))\nr = t.inv(y)\nt = None"
        ),
        (
            "t = torch.distributions.{name}(torch.distributions.constraints.nonnegative)\n"
            "y = t(torch.tensor([[0.5, -1.0], [0.3, 2.0]]))\nr = t.inv(y)\nt = None"
        ),
        (
            "t = torch.distributions.{name}(torch.distributions.constraints.unit_interval)\n"
            "y = t(torch.tensor([[0.5, -1.0], [0.3, 2.0]]))\nr = t.inv(y)\nt = None"
        ),
        (
            "t = "
            "torch.distributions.{name}(torch.distributions.constraints.interval(-1.0, 3.0))\n"
            "y = t(torch.tensor([[0.5, -1.0], [0.3, 2.0]]))\nr = t.inv(y)\nt = None"
        ),
        (
            "t = torch.distributions.{name}(torch.distributions.constraints.less_than(2.0))\n"
            "y = t(torch.tensor([[0.5, -1.0], [0.3, 2.0]]))\nr = t.inv(y)\nt = None"
        ),
        (
            "t = "
            "torch.distributions.{name}(torch.distributions.constraints.greater_than(0.5))\n"
            "y = t(torch.tensor([[0.5, -1.0], [0.3, 2.0]]))\nr = t.inv(y)\nt = None"
        ),
        (
            "t = torch.distributions.{name}(torch.distributions.constraints.simplex)\n"
            "y = t(torch.tensor([[0.5, -1.0], [0.3, 2.0]]))\nr = t.inv(y)\nt = None"
        ),
        (
            "t = torch.distributions.{name}(torch.distributions.constraints.lower_cholesky)\n"
            "y = t(torch.tensor([[0.5, -1.0], [0.3, 2.0]]))\nr = t.inv(y)\nt = None"
        ),
        (
            "t = torch.distributions.{name}(torch.distributions.constraints.real_vector)\n"
            "y = t(torch.tensor([[0.5, -1.0], [0.3, 2.0]]))\nr = t.inv(y)\nt = None"
        ),
        (
            "t = "
            "torch.distributions.{name}(torch.distributions.constraints.independent(tor"
            "ch.distributions.constraints.positive, 1))\n"
            "y = t(torch.tensor([[0.5, -1.0], [0.3, 2.0]]))\nr = t.inv(y)\nt = None"
        ),
        (
            "t = "
            "torch.distributions.{name}(torch.distributions.constraints.half_open_inter"
            "val(0.0, 1.0))\ny = t(torch.tensor([[0.5, -1.0], [0.3, 2.0]]))\nr = t.inv(y)\n"
            "t = None"
        ),
    ),
    "torch.distributions.Bernoulli.param_shape": (
        "r = tuple(torch.distributions.Bernoulli(torch.tensor([0.4, 0.1])).param_shape)",
    ),
    "torch.distributions.Binomial.param_shape": (
        "r = tuple(torch.distributions.Binomial(3, torch.tensor([0.4, 0.1])).param_shape)",
    ),
    "torch.distributions.Categorical.param_shape": (
        "r = tuple(torch.distributions.Categorical(torch.tensor([0.2, 0.8])).param_shape)",
    ),
    "torch.distributions.ContinuousBernoulli.param_shape": (
        (
            "r = tuple(torch.distributions.ContinuousBernoulli(torch.tensor([0.4, "
            "0.1])).param_shape)"
        ),
    ),
    "torch.distributions.Multinomial.param_shape": (
        ("r = tuple(torch.distributions.Multinomial(2, torch.tensor([0.2, 0.8])).param_shape)"),
    ),
    "torch.distributions.NegativeBinomial.param_shape": (
        (
            "r = tuple(torch.distributions.NegativeBinomial(3, torch.tensor([0.4, "
            "0.1])).param_shape)"
        ),
    ),
    "torch.distributions.OneHotCategorical.param_shape": (
        ("r = tuple(torch.distributions.OneHotCategorical(torch.tensor([0.2, 0.8])).param_shape)"),
    ),
}
