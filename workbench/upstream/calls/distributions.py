"""Signatures: torch.distributions."""

from __future__ import annotations

SIGNATURES: dict[str, tuple[str, ...]] = {
    "torch.distributions.Normal": ("(loc, scale, validate_args=None)",),
    "torch.distributions.LogNormal": ("(loc, scale, validate_args=None)",),
    "torch.distributions.Laplace": ("(loc, scale, validate_args=None)",),
    "torch.distributions.Cauchy": ("(loc, scale, validate_args=None)",),
    "torch.distributions.Gumbel": ("(loc, scale, validate_args=None)",),
    "torch.distributions.Uniform": ("(low, high, validate_args=None)",),
    "torch.distributions.HalfNormal": ("(scale, validate_args=None)",),
    "torch.distributions.HalfCauchy": ("(scale, validate_args=None)",),
    "torch.distributions.Exponential": ("(rate, validate_args=None)",),
    "torch.distributions.Pareto": ("(scale, alpha, validate_args=None)",),
    "torch.distributions.Weibull": ("(scale, concentration, validate_args=None)",),
    "torch.distributions.Gamma": ("(concentration, rate, validate_args=None)",),
    "torch.distributions.InverseGamma": ("(concentration, rate, validate_args=None)",),
    "torch.distributions.Chi2": ("(df, validate_args=None)",),
    "torch.distributions.Beta": ("(concentration1, concentration0, validate_args=None)",),
    "torch.distributions.StudentT": ("(df, loc=0.0, scale=1.0, validate_args=None)",),
    "torch.distributions.Dirichlet": ("(concentration, validate_args=None)",),
    "torch.distributions.MultivariateNormal": (
        (
            "(loc, covariance_matrix=None, precision_matrix=None, scale_tril=None, "
            "validate_args=None)"
        ),
    ),
    "torch.distributions.Bernoulli": ("(probs=None, logits=None, validate_args=None)",),
    "torch.distributions.Geometric": ("(probs=None, logits=None, validate_args=None)",),
    "torch.distributions.Binomial": (
        "(total_count=1, probs=None, logits=None, validate_args=None)",
    ),
    "torch.distributions.NegativeBinomial": (
        "(total_count, probs=None, logits=None, validate_args=None)",
    ),
    "torch.distributions.Poisson": ("(rate, validate_args=None)",),
    "torch.distributions.Categorical": ("(probs=None, logits=None, validate_args=None)",),
    "torch.distributions.OneHotCategorical": ("(probs=None, logits=None, validate_args=None)",),
    "torch.distributions.Multinomial": (
        "(total_count=1, probs=None, logits=None, validate_args=None)",
    ),
    "torch.distributions.ContinuousBernoulli": (
        "(probs=None, logits=None, lims=(0.499, 0.501), validate_args=None)",
    ),
    "torch.distributions.Kumaraswamy": ("(concentration1, concentration0, validate_args=None)",),
    "torch.distributions.FisherSnedecor": ("(df1, df2, validate_args=None)",),
    "torch.distributions.MixtureSameFamily": (
        "(mixture_distribution, component_distribution, validate_args=None)",
    ),
    "torch.distributions.RelaxedBernoulli": (
        "(temperature, probs=None, logits=None, validate_args=None)",
    ),
    "torch.distributions.RelaxedOneHotCategorical": (
        "(temperature, probs=None, logits=None, validate_args=None)",
    ),
    "torch.distributions.OneHotCategoricalStraightThrough": (
        "(probs=None, logits=None, validate_args=None)",
    ),
    "torch.distributions.LowRankMultivariateNormal": (
        "(loc, cov_factor, cov_diag, validate_args=None)",
    ),
    "torch.distributions.Wishart": (
        (
            "(df, covariance_matrix=None, precision_matrix=None, scale_tril=None, "
            "validate_args=None)"
        ),
    ),
    "torch.distributions.LKJCholesky": ("(dim, concentration=1.0, validate_args=None)",),
    "torch.distributions.VonMises": ("(loc, concentration, validate_args=None)",),
    "torch.distributions.LogisticNormal": ("(loc, scale, validate_args=None)",),
    "torch.distributions.Independent": (
        "(base_distribution, reinterpreted_batch_ndims, validate_args=None)",
    ),
    "torch.distributions.ExponentialFamily": (
        "(batch_shape=(), event_shape=(), validate_args=None)",
    ),
}
