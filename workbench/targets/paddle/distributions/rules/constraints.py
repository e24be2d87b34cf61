"""`torch.distributions.constraints`, and the constraints of distributions."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.upstream.facts import load
from workbench.words import words

rules = RuleSet()

_D = "torch.distributions"
_C = f"{_D}.constraints"

# The predefined constraints of torch.
_READY = {
    "real": "TorchReal()",
    "boolean": "TorchBoolean()",
    "one_hot": "TorchOneHot()",
    "nonnegative_integer": "TorchIntegerGreaterThan(0)",
    "positive_integer": "TorchIntegerGreaterThan(1)",
    "real_vector": "TorchIndependentConstraint(TorchReal(), 1)",
    "positive": "TorchGreaterThan(0.0)",
    "nonnegative": "TorchGreaterThanEq(0.0)",
    "unit_interval": "TorchInterval(0.0, 1.0)",
    "simplex": "TorchSimplex()",
    "lower_triangular": "TorchLowerTriangular()",
    "lower_cholesky": "TorchLowerCholesky()",
    "corr_cholesky": "TorchCorrCholesky()",
    "square": "TorchSquare()",
    "symmetric": "TorchSymmetric()",
    "positive_semidefinite": "TorchPositiveSemidefinite()",
    "positive_definite": "TorchPositiveDefinite()",
}
for _name, _target in _READY.items():
    rules.row(f"{_C}.{_name}", _target, value=_target)

# Constraints with bounds or parts: the helper, and their members.
_MADE = {
    "greater_than": ("TorchGreaterThan", "lower_bound"),
    "greater_than_eq": ("TorchGreaterThanEq", "lower_bound"),
    "less_than": ("TorchLessThan", "upper_bound"),
    "interval": ("TorchInterval", "lower_bound upper_bound"),
    "half_open_interval": ("TorchHalfOpenInterval", "lower_bound upper_bound"),
    "integer_interval": ("TorchIntegerInterval", "lower_bound upper_bound"),
    "multinomial": ("TorchMultinomialCounts", "upper_bound"),
    "independent": (
        "TorchIndependentConstraint",
        "base_constraint reinterpreted_batch_ndims event_dim is_discrete",
    ),
    "cat": ("TorchCat", "cseq dim lengths event_dim is_discrete"),
    "stack": ("TorchStack", "cseq dim event_dim is_discrete"),
}
for _name, (_helper, _members) in _MADE.items():
    rules.counterpart(f"{_C}.{_name}", _helper)
    for _member in _members.split():
        _entry = load().get(f"{_C}.{_name}.{_member}")
        if _entry is not None and _entry.alias_of is None:
            rules.keep(f"{_C}.{_name}.{_member}")
rules.keep(f"{_C}.multinomial.check")
rules.row(f"{_C}.Constraint", "TorchConstraint()", value="TorchConstraint")
for _member in ("check", "event_dim", "is_discrete"):
    rules.keep(f"{_C}.Constraint.{_member}")
rules.counterpart(f"{_C}.dependent_property", "torch_dependent_property")

_STATING = list(
    words(
        "Beta Binomial Categorical Dirichlet FisherSnedecor Gamma InverseGamma Kumaraswamy "
        "Uniform Multinomial NegativeBinomial LowRankMultivariateNormal Wishart LKJCholesky "
        "VonMises GeneralizedPareto LogisticNormal MultivariateNormal Pareto OneHotCategorical "
        "Weibull RelaxedBernoulli RelaxedOneHotCategorical Normal LogNormal Laplace Cauchy Gumbel "
        "HalfNormal HalfCauchy Exponential Chi2 Poisson StudentT Bernoulli Geometric "
        "ContinuousBernoulli"
    )
)
for _name in _STATING:
    for _member in ("support", "arg_constraints"):
        _entry = load().get(f"{_D}.{_name}.{_member}")
        if _entry is not None and _entry.alias_of is None:
            rules.keep(f"{_D}.{_name}.{_member}")
rules.keep(f"{_D}.Distribution.support")
rules.keep(f"{_D}.Distribution.arg_constraints")
rules.row(
    f"{_D}.Distribution.set_default_validate_args",
    "TorchDistribution.set_default_validate_args({value})",
)
for _member in ("_validate_args", "_validate_sample", "_extended_shape"):
    _entry = load().get(f"{_D}.Distribution.{_member}")
    if _entry is not None and _entry.alias_of is None:
        rules.keep(f"{_D}.Distribution.{_member}")
for _name in ("biject_to", "transform_to"):
    rules.row(
        f"{_D}.{_name}",
        f"torch_{_name}",  # a callable object in torch
        value=f"torch_{_name}",
    )
for _name in words(
    "Bernoulli Binomial Categorical ContinuousBernoulli Multinomial NegativeBinomial "
    "OneHotCategorical"
):
    _entry = load().get(f"{_D}.{_name}.param_shape")
    if _entry is not None and _entry.alias_of is None:
        rules.keep(f"{_D}.{_name}.param_shape")
