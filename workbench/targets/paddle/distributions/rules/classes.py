"""Probability distributions."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.upstream.facts import load
from workbench.words import words

rules = RuleSet()

_D = "torch.distributions"
_ALL = "mean mode variance stddev log_prob entropy cdf icdf sample rsample"
_NO_CDF = "mean mode variance stddev log_prob entropy sample rsample"
_COUNTS = "mean mode variance stddev log_prob entropy sample"
# The members of each class, in addition to the common ones.
_MADE = {
    "Normal": _ALL,
    "LogNormal": _ALL,
    "Laplace": _ALL,
    "Cauchy": _ALL,
    "Gumbel": _ALL,
    "Uniform": _ALL,
    "HalfNormal": _ALL,
    "HalfCauchy": _ALL,
    "Exponential": _ALL,
    "Pareto": _ALL,
    "Weibull": _ALL,
    "Gamma": _NO_CDF + " cdf",
    "InverseGamma": _NO_CDF,
    "Chi2": _NO_CDF + " df",
    "Beta": _NO_CDF,
    "StudentT": _NO_CDF,
    "Dirichlet": _NO_CDF,
    "MultivariateNormal": _NO_CDF + " covariance_matrix",
    "Bernoulli": _COUNTS + " probs logits enumerate_support",
    "Geometric": _COUNTS,
    "Binomial": _COUNTS,
    "NegativeBinomial": "mean mode variance stddev log_prob sample",
    "Poisson": "mean mode variance stddev log_prob sample",
    "Categorical": _COUNTS + " probs logits enumerate_support",
    "OneHotCategorical": _COUNTS,
    "Multinomial": "mean variance stddev log_prob sample entropy",
    "ContinuousBernoulli": "mean variance stddev log_prob entropy cdf icdf rsample probs",
    "Kumaraswamy": "mean mode variance stddev log_prob entropy rsample",
    "FisherSnedecor": "mean mode variance stddev log_prob sample rsample has_rsample",
    "MixtureSameFamily": "mean variance stddev log_prob sample",
    "RelaxedBernoulli": "log_prob rsample probs logits",
    "RelaxedOneHotCategorical": "log_prob rsample probs logits",
    "OneHotCategoricalStraightThrough": _COUNTS + " rsample",
    "LowRankMultivariateNormal": _NO_CDF + " covariance_matrix scale_tril precision_matrix",
    "Wishart": _NO_CDF + " covariance_matrix precision_matrix",
    "LKJCholesky": "log_prob sample",
    "VonMises": "mean mode variance log_prob sample",
    "GeneralizedPareto": "mean mode variance stddev log_prob cdf icdf rsample",
    "LogisticNormal": "log_prob sample rsample",
    "Independent": _NO_CDF,
}
# Methods that not every distribution has; classes list them in `_MADE`.
_SOME = frozenset(["log_prob", "cdf", "icdf", "entropy", "sample", "rsample", "enumerate_support"])
_SHARED = list(
    words(
        "batch_shape event_shape mean variance stddev mode log_prob entropy perplexity cdf icdf "
        "sample sample_n rsample expand enumerate_support has_rsample has_enumerate_support"
    )
)
_PARAMETERS = frozenset(
    words(
        "loc scale low high rate df concentration alpha total_count temperature df1 df2 probs "
        "logits concentration0 concentration1 covariance_matrix precision_matrix scale_tril "
        "reinterpreted_batch_ndims cov_diag dim"
    )
)


def _known(name: str) -> bool:
    entry = load().get(name)
    return entry is not None and entry.alias_of is None


for _name, _members in _MADE.items():
    rules.counterpart(f"{_D}.{_name}", f"Torch{_name}")
    _signature = load().get(f"{_D}.{_name}").signatures[0]  # type: ignore[union-attr]
    _own = [one.name for one in _signature.parameters if one.name in _PARAMETERS]
    for _member in dict.fromkeys((*_SHARED, *_own)):
        if _known(f"{_D}.{_name}.{_member}") and (_member in _members or _member not in _SOME):
            rules.keep(f"{_D}.{_name}.{_member}")
for _part in ("mixture_distribution", "component_distribution"):
    rules.keep(f"{_D}.MixtureSameFamily.{_part}")
rules.counterpart(f"{_D}.Distribution", "TorchDistribution")
for _member in _SHARED:
    if _known(f"{_D}.Distribution.{_member}"):
        rules.keep(f"{_D}.Distribution.{_member}")
rules.row(
    "torch.distributions.kl.kl_divergence"
    if _known("torch.distributions.kl.kl_divergence")
    else "torch.distributions.kl_divergence",
    "torch_kl_divergence({p}, {q})",
    caveat="for pairs of distributions that it does not support it raises NotImplementedError",
)
rules.keep(f"{_D}.Independent.base_dist")
for _member in ("log_cdf", "log_survival_function"):
    rules.keep(f"{_D}.GeneralizedPareto.{_member}")
rules.keep(f"{_D}.LogisticNormal.base_dist")
rules.counterpart(f"{_D}.ExponentialFamily", "TorchExponentialFamily")
rules.row(f"{_D}.register_kl", "torch_register_kl({type_p}, {type_q})", value="torch_register_kl")
_U = f"{_D}.utils"
for _name in words(
    "clamp_probs probs_to_logits logits_to_probs broadcast_all vec_to_tril_matrix "
    "tril_matrix_to_vec"
):
    rules.counterpart(f"{_U}.{_name}", f"torch_{_name}")
for _member in ("covariance_matrix", "scale_tril", "precision_matrix"):
    rules.keep(f"{_D}.LowRankMultivariateNormal.{_member}")
