"""`torch.distributions.constraints`, and what distributions state with them."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call
from workbench.upstream.facts import load

rules = RuleSet()

_D = "torch.distributions"
_C = f"{_D}.constraints"

# The constraints that torch holds ready, with a value of which some obey them.
_READY = {
    "real": ("TorchReal()", "torch.tensor([1.0, float('nan')])"),
    "boolean": ("TorchBoolean()", "torch.tensor([0.0, 0.5, 1.0])"),
    "one_hot": ("TorchOneHot()", "torch.tensor([[0.0, 1.0], [1.0, 1.0]])"),
    "nonnegative_integer": ("TorchIntegerGreaterThan(0)", "torch.tensor([-1.0, 0.0, 1.5, 2.0])"),
    "positive_integer": ("TorchIntegerGreaterThan(1)", "torch.tensor([0, 1, 2])"),
    "real_vector": ("TorchIndependentConstraint(TorchReal(), 1)", "x / (x > 0).float()"),
    "positive": ("TorchGreaterThan(0.0)", "x"),
    "nonnegative": ("TorchGreaterThanEq(0.0)", "x - x.abs()"),
    "unit_interval": ("TorchInterval(0.0, 1.0)", "x"),
    "simplex": ("TorchSimplex()", "torch.tensor([[0.2, 0.8], [0.5, 0.6], [-0.5, 1.5]])"),
    "lower_triangular": ("TorchLowerTriangular()", "torch.stack([sq, sq.tril()])"),
    "lower_cholesky": ("TorchLowerCholesky()", "torch.stack([sq.tril(), torch.eye(4)])"),
    "corr_cholesky": ("TorchCorrCholesky()", "torch.stack([2 * torch.eye(4), torch.eye(4)])"),
    "square": ("TorchSquare()", "a"),
    "symmetric": ("TorchSymmetric()", "torch.stack([sq, sq + sq.T])"),
    "positive_semidefinite": ("TorchPositiveSemidefinite()", "-torch.eye(2)"),
    "positive_definite": ("TorchPositiveDefinite()", "torch.stack([torch.eye(2), -torch.eye(2)])"),
}
for _name, (_target, _value) in _READY.items():
    rules.row(
        f"{_C}.{_name}",
        _target,
        value=_target,
        cases=[
            f"c = {_C}.{_name}\nr = c.check({_value}), str(c), c.event_dim, c.is_discrete",
            f"from torch.distributions import constraints\nr = constraints.{_name}.check({_value})",
        ],
    )

# Constraints with bounds or parts of their own: the helper, arguments, a value, what is read.
_MADE = {
    "greater_than": ("TorchGreaterThan", "0.5", "x", "lower_bound"),
    "greater_than_eq": ("TorchGreaterThanEq", "lower_bound=0.5", "x", "lower_bound"),
    "less_than": ("TorchLessThan", "0.5", "x", "upper_bound"),
    "interval": ("TorchInterval", "-0.5, upper_bound=0.5", "x", "lower_bound upper_bound"),
    "half_open_interval": ("TorchHalfOpenInterval", "0, 2", "i", "lower_bound upper_bound"),
    "integer_interval": ("TorchIntegerInterval", "0, 2", "i * 0.5", "lower_bound upper_bound"),
    "multinomial": ("TorchMultinomialCounts", "5", "i", "upper_bound"),
    "independent": (
        "TorchIndependentConstraint",
        f"{_C}.positive, 1",
        "x",
        "base_constraint reinterpreted_batch_ndims event_dim is_discrete",
    ),
    "cat": (
        "TorchCat",
        f"[{_C}.positive, {_C}.real], 1, lengths=[1, 3]",
        "x",
        "cseq dim lengths event_dim is_discrete",
    ),
    "stack": (
        "TorchStack",
        f"[{_C}.positive, {_C}.real], dim=1",
        "x[:, :2]",
        "cseq dim event_dim is_discrete",
    ),
}
for _name, (_helper, _given, _value, _members) in _MADE.items():
    rules.row(
        f"{_C}.{_name}",
        same_call(f"{_C}.{_name}", _helper),
        value=_helper,
        cases=[
            f"c = {_C}.{_name}({_given})\nr = c.check({_value}), c.event_dim, c.is_discrete",
            f"r = isinstance({_C}.{_name}({_given}), {_C}.Constraint)",
        ],
    )
    for _member in _members.split():
        _entry = load().get(f"{_C}.{_name}.{_member}")
        if _entry is not None and _entry.alias_of is None:
            _read = "len(c.cseq)" if _member == "cseq" else f"str(c.{_member})"
            rules.keep(
                f"{_C}.{_name}.{_member}", cases=[f"c = {_C}.{_name}({_given})\nr = {_read}"]
            )
rules.keep(
    f"{_C}.multinomial.check", cases=[f"c = {_C}.multinomial(3)\nr = c.check(torch.tensor([2, 1]))"]
)
rules.row(
    f"{_C}.Constraint",
    "TorchConstraint()",
    value="TorchConstraint",
    cases=[
        f"class Even({_C}.Constraint):\n    is_discrete = True\n"
        "    def check(self, value):\n        return value % 2 == 0\n"
        "r = Even().check(i), Even().event_dim, str(Even())\nEven = None",
    ],
)
for _member in ("check", "event_dim", "is_discrete"):
    _read = "check(x)" if _member == "check" else _member
    rules.keep(f"{_C}.Constraint.{_member}", cases=[f"c = {_C}.positive\nr = c.{_read}"])
rules.row(
    f"{_C}.dependent_property",
    "torch_dependent_property(...)",
    value="torch_dependent_property",
    cases=[
        f"class Flat({_D}.Distribution):\n    arg_constraints = {{}}\n"
        f"    @{_C}.dependent_property(is_discrete=False, event_dim=0)\n"
        f"    def support(self):\n        return {_C}.interval(0.0, 1.0)\n"
        "r = Flat().support.check(x)\nFlat = None",
    ],
)

_GIVEN = {
    "Beta": "0.5, 1.5",
    "Binomial": "3, 0.4",
    "Categorical": "torch.tensor([0.2, 0.8])",
    "Dirichlet": "torch.ones(2)",
    "FisherSnedecor": "2.0, 3.0",
    "Gamma": "1.0, 2.0",
    "InverseGamma": "1.0, 2.0",
    "Kumaraswamy": "1.0, 2.0",
    "Uniform": "0.0, 2.0",
    "Multinomial": "2, torch.tensor([0.2, 0.8])",
    "NegativeBinomial": "3, 0.4",
    "LowRankMultivariateNormal": "torch.zeros(2), torch.ones(2, 1), torch.ones(2)",
    "Wishart": "torch.tensor(3.0), torch.eye(2)",
    "LKJCholesky": "2",
    "VonMises": "torch.tensor(0.5), torch.tensor(2.0)",
    "GeneralizedPareto": "0.0, 1.0, -0.5",
    "LogisticNormal": "torch.zeros(1), torch.ones(1)",
    "MultivariateNormal": "torch.zeros(2), torch.eye(2)",
    "Pareto": "1.0, 2.0",
    "OneHotCategorical": "torch.tensor([0.2, 0.8])",
    "Weibull": "1.0, 2.0",
    "RelaxedBernoulli": "torch.tensor(0.5), 0.4",
    "RelaxedOneHotCategorical": "torch.tensor(0.5), torch.tensor([0.2, 0.8])",
    **dict.fromkeys(("Normal", "LogNormal", "Laplace", "Cauchy", "Gumbel"), "0.0, 1.0"),
    **dict.fromkeys(
        ("HalfNormal", "HalfCauchy", "Exponential", "Chi2", "Poisson", "StudentT"), "1.0"
    ),
    **dict.fromkeys(("Bernoulli", "Geometric", "ContinuousBernoulli"), "0.4"),
}
_POINT = "torch.tensor([0.0, 1.0])"
_MATRICES = dict.fromkeys(("Wishart", "LKJCholesky"), "torch.stack([torch.eye(2), -torch.eye(2)])")
for _name, _given in _GIVEN.items():
    for _member, _read in (
        ("support", f"d.support.check({_MATRICES.get(_name, _POINT)}), str(d.support)"),
        ("arg_constraints", "{k: str(v) for k, v in d.arg_constraints.items()}"),
    ):
        _entry = load().get(f"{_D}.{_name}.{_member}")
        if _entry is not None and _entry.alias_of is None:
            rules.keep(
                f"{_D}.{_name}.{_member}", cases=[f"d = {_D}.{_name}({_given})\nr = {_read}"]
            )
rules.keep(
    f"{_D}.Distribution.support",
    cases=[
        f"d = {_D}.Normal(0.0, 1.0)\nr = d.support is {_C}.real, "
        f"d.arg_constraints['scale'] is {_C}.positive, str(d.support)",
    ],
)
rules.keep(
    f"{_D}.Distribution.arg_constraints",
    cases=[f"r = str({_D}.Normal(0.0, 1.0).arg_constraints)"],
)
rules.row(
    f"{_D}.Distribution.set_default_validate_args",
    "TorchDistribution.set_default_validate_args({value})",
    cases=[
        f"{_D}.Distribution.set_default_validate_args(False)\nd = {_D}.Normal(0.0, -1.0)\n"
        f"{_D}.Distribution.set_default_validate_args(True)\nr = d.scale",
    ],
)
# What each side refuses: parameters and values that the constraints do not allow.
for _member, _refused in {
    "_validate_args": f"{_D}.Normal(0.0, -1.0)",
    "_validate_sample": f"{_D}.Exponential(1.0).log_prob(torch.tensor(-1.0))",
    "_extended_shape": None,
}.items():
    _entry = load().get(f"{_D}.Distribution.{_member}")
    if _entry is not None and _entry.alias_of is None:
        rules.keep(
            f"{_D}.Distribution.{_member}",
            cases=[_refused or f"r = tuple({_D}.Normal(x, 1.0)._extended_shape((2,)))"],
        )

_MADE_OF = "torch.tensor([[0.5, -1.0], [0.3, 2.0]])"
for _name in ("biject_to", "transform_to"):
    rules.row(
        f"{_D}.{_name}",
        f"torch_{_name}",  # an object that is called, to torch
        value=f"torch_{_name}",
        cases=[
            f"t = {_D}.{_name}({_C}.{one})\ny = t({_MADE_OF})\nr = t.inv(y)\nt = None"
            for one in (
                "real",
                "positive",
                "nonnegative",
                "unit_interval",
                "interval(-1.0, 3.0)",
                "less_than(2.0)",
                "greater_than(0.5)",
                "simplex",
                "lower_cholesky",
                "real_vector",
                f"independent({_C}.positive, 1)",
                "half_open_interval(0.0, 1.0)",
            )
        ],
    )
for _name in (
    "Bernoulli",
    "Binomial",
    "Categorical",
    "ContinuousBernoulli",
    "Multinomial",
    "NegativeBinomial",
    "OneHotCategorical",
):
    _entry = load().get(f"{_D}.{_name}.param_shape")
    if _entry is not None and _entry.alias_of is None:
        _call = _GIVEN[_name].replace("0.4", "torch.tensor([0.4, 0.1])")
        rules.keep(
            f"{_D}.{_name}.param_shape", cases=[f"r = tuple({_D}.{_name}({_call}).param_shape)"]
        )
