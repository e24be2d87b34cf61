"""Distributions: short classes with torch's members, which draw with the program's keys."""

from __future__ import annotations

from workbench.rules.difference import Difference, at
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet

rules = RuleSet()
_D = "torch.distributions."
_CHECKED = at("parameters and values out of range give NaN in {target}; in torch they raise")
_CLASSES = {
    "Normal": "TorchNormal({loc}, {scale})",
    "Categorical": "TorchCategorical({probs}, {logits})",
    "Bernoulli": "TorchBernoulli({probs}, {logits})",
    "Independent": "TorchIndependent({base_distribution}, {reinterpreted_batch_ndims})",
}


def _made(name: str, template: str) -> None:
    @rules.rule(_D + name, value=f"Torch{name}")
    def decide(match: Match) -> Outcome:
        """Write the short class; it checks no values."""
        named = [word for word in ("probs", "logits") if word in match]
        text = f"Torch{name}({', '.join(f'{one}={{{one}}}' for one in named)})"
        left = frozenset({"validate_args"} & match.arguments.keys())
        return Rewrite(text if named else template, consumed=left, differs=_CHECKED)


for _name, _template in _CLASSES.items():
    _made(_name, _template)


@rules.rule(_D + "MultivariateNormal", value="TorchMultivariateNormal")
def multivariate(match: Match) -> Outcome:
    """Write the short class, which is given one of the three matrices."""
    given = [one for one in ("covariance_matrix", "scale_tril") if one in match]
    if len(given) != 1:
        return Refusal("only a covariance or its factor is converted", "scale_tril=factor")
    return Rewrite(
        f"TorchMultivariateNormal({{loc}}, {given[0]}={{{given[0]}}})",
        consumed=frozenset({"validate_args", "precision_matrix"} & match.arguments.keys()),
        differs=_CHECKED,
    )


rules.row(_D + "kl_divergence", "torch_kl_divergence({p}, {q})")
_OWNERS = ("Distribution", *_CLASSES)
for _owner, _members in {
    "Distribution": "batch_shape event_shape entropy log_prob mean mode perplexity stddev variance",
    "Normal": "log_prob cdf icdf",
    "MultivariateNormal": "log_prob loc scale_tril covariance_matrix",
    "Categorical": "log_prob probs logits enumerate_support",
    "Bernoulli": "log_prob probs logits",
    "Independent": "log_prob base_dist",
}.items():
    rules.keep(*(f"{_D}{_owner}.{one}" for one in _members.split()))


def _sampled(name: str, method: str) -> None:
    @rules.rule(name)
    def decide(match: Match) -> Outcome:
        """Draw with the program's keys."""
        if match.use.call is None:
            return Refusal("it takes keys for random numbers", "lambda: d.sample((), rngs)")
        return Rewrite(
            f"{{self}}.{method}({{sample_shape=()}}, rngs)", differs=(Difference.RANDOM_DRAWS,)
        )


for _owner in _OWNERS:
    _sampled(f"{_D}{_owner}.sample", "sample")
_sampled(f"{_D}Distribution.rsample", "rsample")
