"""Probability distributions."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call
from workbench.upstream.facts import load

rules = RuleSet()

_D = "torch.distributions"
_ALL = "mean mode variance stddev log_prob entropy cdf icdf sample rsample"
_NO_CDF = "mean mode variance stddev log_prob entropy sample rsample"
_COUNTS = "mean mode variance stddev log_prob entropy sample"
_TWO = "torch.tensor([0.5, 2.5])"
# By class: calls that make one, a value, and what is compared.
_MADE: dict[str, tuple[list[str], str, str]] = {
    "Normal": (
        ["0.0, 1.0", f"{_TWO}, scale={_TWO}", "torch.zeros(3, 1), torch.ones(2)"],
        "0.3",
        _ALL,
    ),
    "LogNormal": (["0.0, 0.5", f"loc={_TWO}, scale={_TWO}"], "0.3", _ALL),
    "Laplace": (["0.0, 1.0", f"{_TWO}, {_TWO}"], "0.3", _ALL),
    "Cauchy": (["0.0, 1.0", f"{_TWO}, {_TWO}"], "0.3", _ALL),
    "Gumbel": (["0.0, 1.0", f"{_TWO}, {_TWO}"], "0.3", _ALL),
    "Uniform": (["0.0, 1.0", f"-{_TWO}, high={_TWO}"], "0.3", _ALL),
    "HalfNormal": (["1.0", f"scale={_TWO}"], "0.3", _ALL),
    "HalfCauchy": (["1.0", f"scale={_TWO}"], "0.3", _ALL),
    "Exponential": (["1.0", f"rate={_TWO}"], "0.3", _ALL),
    "Pareto": (["0.2, 3.0", f"torch.tensor([0.1, 0.2]), alpha={_TWO}"], "0.3", _ALL),
    "Weibull": (["1.0, 2.0", f"{_TWO}, concentration={_TWO}"], "0.3", _ALL),
    "Gamma": (["2.0, 1.0", f"{_TWO}, rate={_TWO}"], "0.3", _NO_CDF + " cdf"),
    "InverseGamma": (["3.0, 1.0", f"{_TWO}, rate={_TWO}"], "0.3", _NO_CDF),
    "Chi2": (["3.0", f"df={_TWO}"], "0.3", _NO_CDF + " df"),
    "Beta": (["2.0, 3.0", f"{_TWO}, {_TWO}"], "0.3", _NO_CDF),
    "StudentT": (["3.0", f"{_TWO}, loc={_TWO}, scale={_TWO}"], "0.3", _NO_CDF),
    "Dirichlet": (
        ["torch.tensor([0.5, 1.5, 2.0])", "concentration=torch.ones(2, 3) * 2"],
        "torch.tensor([0.2, 0.3, 0.5])",
        _NO_CDF,
    ),
    "MultivariateNormal": (
        [
            "torch.zeros(2), torch.tensor([[2.0, 0.5], [0.5, 1.0]])",
            "torch.zeros(2), scale_tril=torch.tensor([[2.0, 0.0], [0.5, 1.0]])",
            "torch.ones(3, 2), precision_matrix=torch.eye(2)",
        ],
        "torch.tensor([0.3, 0.4])",
        _NO_CDF + " covariance_matrix",
    ),
    "Bernoulli": (
        ["0.3", "probs=torch.tensor([0.2, 0.5, 0.9])", "logits=torch.tensor([0.2, -1.0])"],
        "1.0",
        _COUNTS + " probs logits enumerate_support",
    ),
    "Geometric": (
        ["0.3", "probs=torch.tensor([0.2, 0.9])", "logits=torch.tensor([0.2, -1.0])"],
        "2.0",
        _COUNTS,
    ),
    "Binomial": (
        ["5, 0.3", "4, probs=torch.tensor([0.2, 0.9])", "3, logits=torch.tensor([0.2, -1.0])"],
        "2.0",
        _COUNTS,
    ),
    "NegativeBinomial": (
        ["5, 0.3", "4, probs=torch.tensor([0.2, 0.9])", "3, logits=torch.tensor([0.2, -1.0])"],
        "2.0",
        "mean mode variance stddev log_prob sample",
    ),
    "Poisson": (["3.0", f"rate={_TWO}"], "2.0", "mean mode variance stddev log_prob sample"),
    "Categorical": (
        [
            "torch.tensor([0.2, 0.3, 0.5])",
            "logits=torch.tensor([[0.2, 1.0], [3.0, 0.0]])",
            "probs=torch.tensor([[1.0, 1.0], [3.0, 1.0]])",
        ],
        "torch.tensor([1])",
        _COUNTS + " probs logits enumerate_support",
    ),
    "OneHotCategorical": (
        ["torch.tensor([0.2, 0.3, 0.5])", "logits=torch.tensor([0.2, 1.0, 0.0])"],
        "torch.tensor([0.0, 1.0, 0.0])",
        _COUNTS,
    ),
    "Multinomial": (
        ["4, torch.tensor([0.2, 0.3, 0.5])", "4, logits=torch.tensor([0.2, 1.0, 0.0])"],
        "torch.tensor([1.0, 2.0, 1.0])",
        "mean variance stddev log_prob sample entropy",
    ),
    "ContinuousBernoulli": (
        ["0.3", "probs=torch.tensor([0.2, 0.5, 0.9])", "logits=torch.tensor([0.2, -1.0])"],
        "0.4",
        "mean variance stddev log_prob entropy cdf icdf rsample probs",
    ),
    "Kumaraswamy": (
        ["2.0, 3.0", f"{_TWO}, concentration0={_TWO}"],
        "0.3",
        "mean mode variance stddev log_prob entropy rsample",
    ),
    "FisherSnedecor": (
        ["3.0, 5.0", f"{_TWO}, df2={_TWO}"],
        "0.3",
        "mean mode variance stddev log_prob sample rsample has_rsample",
    ),
    "MixtureSameFamily": (
        [
            "torch.distributions.Categorical(torch.tensor([0.3, 0.7])), "
            "torch.distributions.Normal(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 0.5]))",
            "torch.distributions.Categorical(torch.ones(3)), component_distribution="
            "torch.distributions.Independent(torch.distributions.Normal(x[:, :2], p[:, :2]), 1)",
        ],
        "torch.tensor([0.3, 0.4])",
        "mean variance stddev log_prob sample",
    ),
    "RelaxedBernoulli": (
        [
            "torch.tensor(0.7), probs=torch.tensor([0.2, 0.5])",
            "torch.tensor(2.0), logits=torch.tensor([0.2, -1.0])",
        ],
        "torch.tensor([0.3, 0.6])",
        "log_prob rsample probs logits",
    ),
    "RelaxedOneHotCategorical": (
        [
            "torch.tensor(0.7), probs=torch.tensor([0.2, 0.3, 0.5])",
            "torch.tensor(2.0), logits=torch.tensor([0.2, -1.0, 0.0])",
        ],
        "torch.tensor([0.3, 0.6, 0.1])",
        "log_prob rsample probs logits",
    ),
    "OneHotCategoricalStraightThrough": (
        ["torch.tensor([0.2, 0.3, 0.5])", "logits=torch.tensor([0.2, 1.0, 0.0])"],
        "torch.tensor([0.0, 1.0, 0.0])",
        _COUNTS + " rsample",
    ),
    "LowRankMultivariateNormal": (
        [
            "torch.zeros(2), torch.tensor([[1.0], [0.5]]), torch.tensor([0.5, 2.0])",
            "torch.ones(3, 2), torch.tensor([[1.0], [0.5]]), cov_diag=torch.ones(2)",
        ],
        "torch.tensor([0.3, 0.4])",
        _NO_CDF + " covariance_matrix scale_tril precision_matrix",
    ),
    "Wishart": (
        [
            "torch.tensor(4.0), torch.tensor([[2.0, 0.5], [0.5, 1.0]])",
            "torch.tensor([3.0, 5.0]), scale_tril=torch.tensor([[2.0, 0.0], [0.5, 1.0]])",
            "3.5, precision_matrix=torch.eye(2)",
        ],
        "torch.tensor([[2.0, 0.3], [0.3, 1.0]])",
        _NO_CDF + " covariance_matrix precision_matrix",
    ),
    "LKJCholesky": (
        ["3", "3, concentration=torch.tensor([0.5, 2.0])"],
        "torch.eye(3)",
        "log_prob sample",
    ),
    "VonMises": (
        ["torch.tensor(0.5), torch.tensor(2.0)", f"{_TWO}, concentration={_TWO}"],
        "0.3",
        "mean mode variance log_prob sample",
    ),
    "GeneralizedPareto": (
        ["0.0, 1.0, 0.2", f"{_TWO}, {_TWO}, torch.tensor([0.0, -0.1])"],
        "2.6",
        "mean mode variance stddev log_prob cdf icdf rsample",
    ),
    "LogisticNormal": (
        ["torch.zeros(2), torch.ones(2)", f"{_TWO}, scale={_TWO}"],
        "torch.tensor([0.2, 0.3, 0.5])",
        "log_prob sample rsample",
    ),
    "Independent": (
        ["torch.distributions.Normal(torch.zeros(3, 2), torch.ones(3, 2)), 1"],
        "torch.tensor([0.3, 0.4])",
        _NO_CDF,
    ),
}
# By class: calls with the tensor `s`, and what its gradients are of, at 1 and one half where slopes
# are easily lost.
_LEARNT: dict[str, tuple[str, str, str]] = {
    "Bernoulli": ("[0.5, 0.2]", "s", "d.log_prob(torch.tensor([1.0, 0.0])) + d.entropy()"),
    "Binomial": ("[0.5, 0.2]", "4, s", "d.log_prob(torch.tensor([1.0, 3.0]))"),
    "ContinuousBernoulli": ("[0.5, 0.2]", "s", "d.log_prob(torch.tensor([0.1, 0.6]))"),
    "Gamma": ("[1.0, 2.5]", "s, s", "d.log_prob(torch.tensor(0.3)) + d.entropy() + d.variance"),
    "Dirichlet": ("[1.0, 2.5]", "s", "d.log_prob(torch.tensor([0.3, 0.7])) + d.entropy()"),
    "FisherSnedecor": ("[2.0, 6.0]", "s, s", "d.mean + d.variance"),
    "LowRankMultivariateNormal": (
        "[1.0, 2.0]",
        "s, s.unsqueeze(1), cov_diag=s",
        "d.log_prob(torch.ones(2)) + d.entropy()",
    ),
}
_READ = {
    "log_prob": "d.log_prob(v)",
    "cdf": "d.cdf(v)",
    "icdf": "d.icdf(v)",
    "entropy": "d.entropy()",
    "sample": "d.sample((4,)).shape, d.sample().dtype, d.sample().requires_grad",
    "rsample": "d.rsample((4, 3)).shape",
    "enumerate_support": "d.enumerate_support()",
    "perplexity": "d.perplexity()",
}
_SHARED = {
    "batch_shape": "tuple(d.batch_shape)",
    "event_shape": "tuple(d.event_shape)",
    "mean": "d.mean",
    "variance": "d.variance",
    "stddev": "d.stddev",
    "mode": "d.mode",
    "log_prob": "d.log_prob(v)",
    "entropy": "d.entropy()",
    "perplexity": "d.perplexity()",
    "cdf": "d.cdf(v)",
    "icdf": "d.icdf(v)",
    "sample": "d.sample((2,)).shape",
    "sample_n": "d.sample_n(3).shape",
    "rsample": "d.rsample((2,)).shape",
    "expand": "d.expand((4, 2)).log_prob(v)",
    "enumerate_support": "torch.distributions.Bernoulli(0.3).enumerate_support()",
    "has_rsample": "d.has_rsample",
    "has_enumerate_support": "d.has_enumerate_support",
}


def _value(value: str) -> str:
    return value if "tensor" in value else f"torch.tensor({value})"


def _untyped(name: str) -> str:
    """The signature without types, since torch's own are narrower than what it takes."""
    entry = load().get(name)
    assert entry is not None
    return (
        "("
        + ", ".join(
            p.name if p.default is None else f"{p.name}={p.default}"
            for p in entry.signatures[0].parameters
        )
        + ")"
    )


def _known(name: str) -> bool:
    entry = load().get(name)
    return entry is not None and entry.alias_of is None


for _name, (_calls, _point, _members) in _MADE.items():
    _reads = [_READ.get(member, f"d.{member}") for member in _members.split()]
    rules.row(
        f"{_D}.{_name}",
        same_call(f"{_D}.{_name}", f"Torch{_name}"),
        value=f"Torch{_name}",
        signature=_untyped(f"{_D}.{_name}"),
        cases=[
            f"d = torch.distributions.{_name}({call})\nv = {_value(_point)}\n"
            f"r = {', '.join(reads)}\nshape = tuple(d.batch_shape), tuple(d.event_shape)"
            for call in _calls
            for reads in (_reads,)
        ]
        + [
            f"s = torch.tensor({start}, requires_grad=True)\n"
            f"d = torch.distributions.{_name}({call})\nr = {read}\nr.sum().backward()\ng = s.grad"
            for name, (start, call, read) in _LEARNT.items()
            if name == _name
        ],
    )
    _own = {
        **_SHARED,
        **{
            parameter.name: f"d.{parameter.name}"
            for parameter in load().get(f"{_D}.{_name}").signatures[0].parameters  # type: ignore[union-attr]
            if parameter.name
            in (
                "loc",
                "scale",
                "low",
                "high",
                "rate",
                "df",
                "concentration",
                "alpha",
                "total_count",
                "temperature",
                "df1",
                "df2",
                "probs",
                "logits",
                "concentration0",
                "concentration1",
                "covariance_matrix",
                "precision_matrix",
                "scale_tril",
                "reinterpreted_batch_ndims",
                "cov_diag",
                "dim",
            )
        },
    }
    for _member, _read in _own.items():
        if _known(f"{_D}.{_name}.{_member}") and (
            _member in _members or _member not in _READ or _member in ("perplexity",)
        ):
            _reading = (
                _READ.get(_member, _read)
                if _member != "expand"
                else ("tuple(d.expand((4, *d.batch_shape)).batch_shape)")
            )
            rules.keep(
                f"{_D}.{_name}.{_member}",
                cases=[
                    f"d = torch.distributions.{_name}({_calls[0]})\nv = {_value(_point)}\n"
                    f"r = {_reading}"
                ],
            )
for _part in ("mixture_distribution", "component_distribution"):
    rules.keep(
        f"{_D}.MixtureSameFamily.{_part}",
        cases=[
            f"d = torch.distributions.MixtureSameFamily({_MADE['MixtureSameFamily'][0][0]})\n"
            f"r = d.{_part}.mean\nd = None"
        ],
    )
rules.row(
    f"{_D}.Distribution",
    same_call(f"{_D}.Distribution", "TorchDistribution"),
    value="TorchDistribution",
    cases=[
        "d = torch.distributions.Normal(0.0, 1.0)\n"
        "r = isinstance(d, torch.distributions.Distribution), str(d)",
        f"d = torch.distributions.Gumbel({_TWO}, 1.0)\nr = str(d)\nd = None",
        f"r = {_D}.Poisson(4.0).log_prob(n), {_D}.Gamma(2.0, 1.0).log_prob(n + 1), "
        f"{_D}.StudentT(2.0).log_prob(n), "
        f"{_D}.Uniform(0.0, 5.0).cdf(n), {_D}.Normal(0.0, 1.0).log_prob(n), "
        f"{_D}.Multinomial(3, torch.ones(3)).log_prob(n)",
    ],
)
for _member, _read in _SHARED.items():
    if _known(f"{_D}.Distribution.{_member}"):
        rules.keep(
            f"{_D}.Distribution.{_member}",
            cases=[
                f"d = torch.distributions.Normal({_TWO}, {_TWO})\nv = torch.tensor(0.3)\n"
                f"r = {_read}"
            ],
        )
_PAIRS = {
    "Normal": ("0.0, 1.0", f"{_TWO}, {_TWO}"),
    "Laplace": ("0.0, 1.0", f"{_TWO}, {_TWO}"),
    "Uniform": ("0.0, 1.0", "-0.5, torch.tensor([2.0, 0.5])"),
    "Exponential": ("1.0", _TWO),
    "Gamma": ("2.0, 1.0", f"{_TWO}, {_TWO}"),
    "Beta": ("2.0, 1.0", f"{_TWO}, {_TWO}"),
    "Bernoulli": ("0.3", "torch.tensor([0.2, 0.9])"),
    "Geometric": ("0.3", "torch.tensor([0.2, 0.9])"),
    "Poisson": ("2.0", _TWO),
    "Dirichlet": ("torch.ones(3)", "torch.tensor([0.5, 1.5, 2.0])"),
    "Categorical": ("torch.tensor([0.2, 0.8])", "torch.tensor([0.5, 0.5])"),
    "Gumbel": ("0.0, 1.0", f"{_TWO}, {_TWO}"),
    "Cauchy": ("0.0, 1.0", f"{_TWO}, {_TWO}"),
    "HalfNormal": ("1.0", _TWO),
    "HalfCauchy": ("1.0", _TWO),
    "LogNormal": ("0.0, 1.0", f"{_TWO}, {_TWO}"),
    "Pareto": ("1.0, 2.0", f"{_TWO}, {_TWO}"),
    "Binomial": ("5, 0.3", "torch.tensor([5.0, 3.0]), torch.tensor([0.2, 0.9])"),
    "OneHotCategorical": ("torch.tensor([0.2, 0.8])", "torch.tensor([0.5, 0.5])"),
    "MultivariateNormal": (
        "torch.zeros(2), torch.tensor([[2.0, 0.5], [0.5, 1.0]])",
        "torch.ones(3, 2), scale_tril=torch.tensor([[2.0, 0.0], [0.5, 1.0]])",
    ),
}
rules.row(
    "torch.distributions.kl.kl_divergence"
    if _known("torch.distributions.kl.kl_divergence")
    else "torch.distributions.kl_divergence",
    "torch_kl_divergence({p}, {q})",
    caveat="of most pairs of kinds; the others raise NotImplementedError",
    cases=[
        f"one = [{_D}.Uniform(0.0, {_TWO}), {_D}.Gamma({_TWO}, 1.5), {_D}.Exponential({_TWO}), "
        f"{_D}.Beta({_TWO}, 2.0), {_D}.Pareto({_TWO}, 3.0), {_D}.Laplace(0.0, {_TWO}), "
        f"{_D}.Gumbel(0.0, {_TWO}), {_D}.ContinuousBernoulli(torch.tensor([0.2, 0.6]))]\n"
        f"r = [{_D}.kl_divergence(p, {_D}.Normal({_TWO}, 2.0)) for p in one]\n"
        f"s = [{_D}.kl_divergence(p, {_D}.Exponential({_TWO})) for p in one[:2] + one[3:5]]\n"
        f"t = [{_D}.kl_divergence(p, {_D}.Gamma({_TWO}, 0.5)) for p in (one[0], one[2], *one[3:5])]"
        f"\nu = [{_D}.kl_divergence(p, {_D}.Uniform(-1.0, {_TWO})) for p in (*one[2:6], one[7])]\n"
        f"v = {_D}.kl_divergence({_D}.Poisson(2.0), {_D}.Bernoulli(0.5)), "
        f"{_D}.kl_divergence({_D}.Uniform(-{_TWO}, 1.0), {_D}.Exponential(1.0)), "
        f"{_D}.kl_divergence({_D}.Normal(0.0, {_TWO}), {_D}.Gamma(1.0, 1.0))\none = None",
        *(
            f"p = torch.distributions.{name}({one})\nq = torch.distributions.{name}({two})\n"
            "r = torch.distributions.kl_divergence(p, q)\np = q = None"
            for name, (one, two) in _PAIRS.items()
        ),
    ],
)
rules.keep(
    f"{_D}.Independent.base_dist",
    cases=[f"d = {_D}.Independent({_D}.Normal(x, 1.0), 1)\nr = d.base_dist.mean, str(d)\nd = None"],
)
for _member in ("log_cdf", "log_survival_function"):
    rules.keep(
        f"{_D}.GeneralizedPareto.{_member}",
        cases=[f"r = {_D}.GeneralizedPareto({_TWO}, 1.0, 0.1).{_member}(torch.tensor(2.7))"],
    )
rules.keep(
    f"{_D}.LogisticNormal.base_dist",
    cases=[
        "r = torch.distributions.LogisticNormal(torch.zeros(2), torch.ones(2)).base_dist.mean",
        "d = torch.distributions.LogisticNormal(torch.zeros(2), torch.ones(2)).expand((4,))\n"
        "r = d.base_dist.mean, d.log_prob(torch.tensor([0.2, 0.3, 0.5]))\nd = None",
    ],
)
_FAMILY = (
    f"class Own({_D}.ExponentialFamily):\n    _mean_carrier_measure = 0\n"
    "    def __init__(self, rate):\n        self.rate = rate\n"
    "        super().__init__(rate.shape, validate_args=False)\n"
    "    @property\n    def _natural_params(self):\n        return (-self.rate,)\n"
    "    def _log_normalizer(self, x):\n        return -torch.log(-x)\n"
)
rules.row(
    f"{_D}.ExponentialFamily",
    "TorchExponentialFamily(...)",
    value="TorchExponentialFamily",
    signature="(batch_shape=(), event_shape=(), validate_args=None)",
    cases=[
        f"{_FAMILY}r = Own({_TWO}).entropy(), tuple(Own({_TWO}).batch_shape), "
        f"isinstance(Own({_TWO}), {_D}.ExponentialFamily), "
        f"isinstance({_D}.Normal(0.0, 1.0), Own)\nOwn = None",
        f"r = [issubclass(one, {_D}.ExponentialFamily) for one in ({_D}.Normal, {_D}.Chi2, "
        f"{_D}.Uniform, {_D}.LogNormal)], isinstance({_D}.Gamma(1.0, 1.0), "
        f"{_D}.ExponentialFamily)",
    ],
)
rules.row(
    f"{_D}.register_kl",
    "torch_register_kl({type_p}, {type_q})",
    value="torch_register_kl",
    cases=[
        f"class Fixed({_D}.Normal):\n    pass\n"
        f"@{_D}.register_kl(Fixed, {_D}.Normal)\ndef apart(p, q):\n    return p.loc - q.loc\n"
        f"r = {_D}.kl_divergence(Fixed({_TWO}, 1.0), {_D}.Normal(0.0, 1.0))\n"
        f"s = {_D}.kl_divergence({_D}.Normal({_TWO}, 1.0), {_D}.Normal(0.0, 1.0))\nFixed = None",
    ],
)
_U = f"{_D}.utils"
for _name, _given in {
    "clamp_probs": ["p * 2 - 0.5"],
    "probs_to_logits": ["p", "probs=p, is_binary=True"],
    "logits_to_probs": ["x", "x, True"],
    "broadcast_all": ["x, 2", "1, 2.5", "x, y[0]"],
    "vec_to_tril_matrix": ["x[:, :3]", "x[:, :1], diag=-1", "a[..., :3]"],
    "tril_matrix_to_vec": ["sq", "mat=sq, diag=-1"],
}.items():
    rules.row(
        f"{_U}.{_name}",
        f"torch_{_name}(...)",
        value=f"torch_{_name}",
        cases=[f"r = {_U}.{_name}({one})" for one in _given],
    )
for _member in ("covariance_matrix", "scale_tril", "precision_matrix"):
    rules.keep(
        f"{_D}.LowRankMultivariateNormal.{_member}",
        cases=[
            f"d = {_D}.LowRankMultivariateNormal(torch.zeros(2), x[:2, :1], torch.ones(2))\n"
            f"r = d.{_member}",
        ],
    )
