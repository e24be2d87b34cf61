"""Transforms of random variables, and the distributions that they create."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.upstream.facts import load
from workbench.words import words

rules = RuleSet()

_D = "torch.distributions"


def _place(name: str) -> str:
    """Return the canonical name of a transform, which may be in another module."""
    entry = load().get(f"{_D}.{name}")
    assert entry is not None
    return entry.alias_of or entry.name


_CALLS = words(
    "AffineTransform ExpTransform PowerTransform SigmoidTransform TanhTransform "
    "SoftplusTransform AbsTransform SoftmaxTransform ComposeTransform"
)
_SHAPING = words(
    "ReshapeTransform IndependentTransform StackTransform CatTransform "
    "CumulativeDistributionTransform StickBreakingTransform CorrCholeskyTransform "
    "LowerCholeskyTransform PositiveDefiniteTransform"
)
for _name in _SHAPING:
    rules.counterpart(_place(_name), f"Torch{_name}")
for _name in _CALLS:
    rules.counterpart(_place(_name), f"Torch{_name}")
rules.counterpart(_place("Transform"), "TorchTransform")
for _name in sorted((*_SHAPING, *_CALLS)):
    for _member in ("domain", "codomain"):
        rules.row(f"{_place(_name)}.{_member}", f"torch_{_member}({{self}})")
for _member in ("domain", "codomain"):
    rules.row(f"{_place('Transform')}.{_member}", f"torch_{_member}({{self}})")
rules.keep(f"{_place('Transform')}.inv")
for _class, _members in (
    ("AffineTransform", "loc scale"),
    ("PowerTransform", "exponent"),
    ("ReshapeTransform", "in_shape out_shape"),
    ("CatTransform", "dim length lengths bijective"),
    ("StackTransform", "dim bijective"),
    ("ComposeTransform", "bijective"),
    ("IndependentTransform", "reinterpreted_batch_ndims bijective"),
):
    for _member in _members.split():
        _name = f"{_D}.{_class}.{_member}"
        if _name in load().names:
            rules.keep(_name)
for _member in words(
    "ComposeTransform.parts IndependentTransform.base_transform CatTransform.transforms "
    "StackTransform.transforms CumulativeDistributionTransform.distribution "
    "Transform.with_cache"
):
    rules.keep(f"{_place(_member.partition('.')[0])}.{_member.rpartition('.')[2]}")
rules.row(f"{_D}.transforms.identity_transform", "TorchComposeTransform([])")
for _member in ("forward_shape", "inverse_shape"):
    rules.keep(f"{_place('Transform')}.{_member}")
rules.keep(f"{_place('Transform')}.sign")
for _name in words(
    "Transform.bijective Transform.event_dim AffineTransform.sign ExpTransform.sign "
    "SigmoidTransform.sign TanhTransform.sign SoftplusTransform.sign"
):
    _class, _, _member = _name.partition(".")
    rules.keep(f"{_place(_class)}.{_member}")
rules.keep(f"{_place('Transform')}.log_abs_det_jacobian")
rules.counterpart(f"{_D}.TransformedDistribution", "TorchTransformedDistribution")
for _member in words("log_prob cdf icdf sample rsample base_dist transforms has_rsample"):
    _name = f"{_D}.TransformedDistribution.{_member}"
    _entry = load().get(_name)
    if _entry is not None and _entry.alias_of is None:
        rules.keep(_name)
# Names without a rule: constraints of composed distributions, and mappings to them.
for _each in sorted(
    n
    for n in load().names
    if n.startswith(
        (
            f"{_D}.constraints._Dependent",
            f"{_D}.constraints.MixtureSameFamily",
            f"{_D}.constraints.dependent.",
            f"{_D}.constraint_registry",
        )
    )
    or n in {f"{_D}.{one}.support" for one in ("MixtureSameFamily", "TransformedDistribution")}
):
    if not any(rule.name == _each for rule in rules.rules):
        rules.refuse(
            _each, reason="its constraint depends on the distributions that this one is built from"
        )
