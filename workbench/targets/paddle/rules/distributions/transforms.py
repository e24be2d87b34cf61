"""Transforms of random variables, and the distributions that they make."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call
from workbench.upstream.facts import load

rules = RuleSet()

_D = "torch.distributions"


def _place(name: str) -> str:
    """The canonical name of a transform, which may live in a module of its own."""
    entry = load().get(f"{_D}.{name}")
    assert entry is not None
    return entry.alias_of or entry.name


_READ = "\ny = t(v)\nr = y, t.inv(y), t.log_abs_det_jacobian(v, y)"
_CALLS = {
    "AffineTransform": ["1.0, 2.0", "loc=torch.zeros(4), scale=torch.ones(4) * -3.0, event_dim=1"],
    "ExpTransform": [""],
    "PowerTransform": ["torch.tensor(2.0)"],
    "SigmoidTransform": [""],
    "TanhTransform": [""],
    "SoftplusTransform": [""],
    "AbsTransform": [""],
    "SoftmaxTransform": [""],
    "ComposeTransform": [
        "[torch.distributions.AffineTransform(0.5, 2.0), torch.distributions.SigmoidTransform()]"
    ],
}
# By class: calls that make one, a value, and what is read.
_T = "torch.distributions"
_SHAPING = {
    "ReshapeTransform": (["(4,), (2, 2)", "in_shape=(2, 2), out_shape=(4,)"], "p", _READ),
    "IndependentTransform": ([f"{_T}.ExpTransform(), 1"], "p", _READ),
    "StackTransform": (
        [
            f"[{_T}.ExpTransform(), {_T}.AffineTransform(1.0, 2.0), {_T}.SigmoidTransform()]",
            f"[{_T}.ExpTransform(), {_T}.SigmoidTransform()] * 2, dim=1",
        ],
        "p",
        _READ,
    ),
    "CatTransform": (
        [
            f"[{_T}.ExpTransform(), {_T}.AffineTransform(1.0, 2.0)], dim=1, lengths=[1, 3]",
            f"[{_T}.ExpTransform()] * 3",
            f"[{_T}.IndependentTransform({_T}.ExpTransform(), 1)] * 3",
        ],
        "p",
        _READ,
    ),
    "CumulativeDistributionTransform": ([f"{_T}.Normal(0.0, 1.0)"], "p", _READ + ", t.sign"),
    "StickBreakingTransform": ([""], "x", _READ),
    "CorrCholeskyTransform": (["", "cache_size=1"], "a[..., :3]", _READ),
    "LowerCholeskyTransform": ([""], "sq", "\ny = t(v)\nr = y, t.inv(y)"),
    "PositiveDefiniteTransform": ([""], "sq", "\ny = t(v)\nr = y"),
}
for _name, (_calls, _value, _read) in _SHAPING.items():
    # A tensor of the given shape: the last four values, as they are or two by two.
    _reshaped = ".reshape(3, 2, 2)" if _name == "ReshapeTransform" else ""
    rules.row(
        _place(_name),
        same_call(_place(_name), f"Torch{_name}"),
        value=f"Torch{_name}",
        cases=[
            f"v = {_value}{_reshaped if 'in_shape' in call else ''}\n"
            f"t = torch.distributions.{_name}({call}){_read}\nt = None"
            for call in _calls
        ],
    )
for _name, _calls in _CALLS.items():
    _read = "\nr = t(v)" if _name in ("AbsTransform", "SoftmaxTransform") else _READ
    rules.row(
        _place(_name),
        same_call(_place(_name), f"Torch{_name}"),
        value=f"Torch{_name}",
        cases=[
            f"v = p\nt = torch.distributions.{_name}({call}){_read}\nt = None" for call in _calls
        ],
    )
rules.row(
    _place("Transform"),
    same_call(_place("Transform"), "TorchTransform"),
    value="TorchTransform",
    cases=[
        "t = isinstance(torch.distributions.ExpTransform(), torch.distributions.Transform)",
        f"one, two = ({_T}.AffineTransform(x, 2.0) for _ in range(2))\n"
        f"r = one == two, one == {_T}.AffineTransform(y, 2.0), one.inv == two.inv, "
        f"{_T}.ComposeTransform([one]) == {_T}.ComposeTransform([two]), one == {_T}.ExpTransform()"
        f", {_T}.TanhTransform() == {_T}.TanhTransform(), one != two\none = two = None",
    ],
)
# By class: how one is made, and values of which some are in its domain, and in its codomain.
_ENDS = {
    "AbsTransform": ("", "x", "x"),
    "AffineTransform": ("0.0, 2.0, event_dim=1", "x / (x > 0).float()", "x"),
    "CatTransform": (f"[{_T}.ExpTransform(), {_T}.TanhTransform()], 1, [1, 3]", "x", "x"),
    "ComposeTransform": (f"[{_T}.ExpTransform(), {_T}.StickBreakingTransform()]", "x", "p"),
    "CorrCholeskyTransform": ("", "x", "torch.stack([2 * torch.eye(4), torch.eye(4)])"),
    "CumulativeDistributionTransform": (f"{_T}.Gamma(1.0, 2.0)", "x", "x"),
    "ExpTransform": ("", "x", "x"),
    "IndependentTransform": (f"{_T}.ExpTransform(), 1", "x", "x"),
    "LowerCholeskyTransform": ("", "sq", "torch.stack([sq.tril(), torch.eye(4)])"),
    "PositiveDefiniteTransform": ("", "sq", "torch.stack([torch.eye(2), -torch.eye(2)])"),
    "PowerTransform": ("2.0", "x", "x"),
    "ReshapeTransform": ("(4,), (2, 2)", "x", "sq"),
    "SigmoidTransform": ("", "x", "x"),
    "SoftmaxTransform": ("", "x", "torch.tensor([[0.2, 0.8], [0.5, 0.6]])"),
    "SoftplusTransform": ("", "x", "x"),
    "StackTransform": (f"[{_T}.ExpTransform(), {_T}.TanhTransform()], 1", "x[:, :2]", "x[:, :2]"),
    "StickBreakingTransform": ("", "x", "torch.tensor([[0.2, 0.8], [0.5, 0.6]])"),
    "TanhTransform": ("", "x", "x"),
}
_SEEN = "r = e.check({}), e.event_dim, e.is_discrete\nt = e = None"
for _name, (_made, *_values) in _ENDS.items():
    for _member, _value in zip(("domain", "codomain"), _values, strict=True):
        rules.row(
            f"{_place(_name)}.{_member}",
            f"torch_{_member}({{self}})",
            cases=[f"t = {_T}.{_name}({_made})\ne = t.{_member}\n{_SEEN.format(_value)}"],
        )
for _member in ("domain", "codomain"):
    rules.row(
        f"{_place('Transform')}.{_member}",
        f"torch_{_member}({{self}})",
        cases=[
            f"def end(t: {_T}.Transform):\n    return t.{_member}\n"
            f"e = end({_T}.ExpTransform().inv)\n{_SEEN.format('x')}"
        ],
    )
_MADE = "t = torch.distributions.AffineTransform(1.0, 2.0)\nv = x\n"
rules.keep(f"{_place('Transform')}.inv", cases=[f"{_MADE}r = t.inv(v)\nt = None"])
for _made, _members in (
    ("AffineTransform(1.0, 2.0)", "loc scale"),
    ("PowerTransform(torch.tensor(2.0))", "exponent"),
    ("ReshapeTransform((4,), (2, 2))", "in_shape out_shape"),
    (
        f"CatTransform([{_T}.ExpTransform(), {_T}.AbsTransform()], 1, [1, 3])",
        "dim length lengths bijective",
    ),
    (f"StackTransform([{_T}.ExpTransform(), {_T}.AbsTransform()], 1)", "dim bijective"),
    (f"ComposeTransform([{_T}.ExpTransform(), {_T}.AbsTransform()])", "bijective"),
    (f"IndependentTransform({_T}.ExpTransform(), 1)", "reinterpreted_batch_ndims bijective"),
):
    for _member in _members.split():
        _name = f"{_D}.{_made.partition('(')[0]}.{_member}"
        if _name in load().names:
            rules.keep(_name, cases=[f"t = {_T}.{_made}\nr = t.{_member}\nt = None"])
for _member, _made, _read in (
    (
        "ComposeTransform.parts",
        f"ComposeTransform([{_T}.ExpTransform(), {_T}.AbsTransform()])",
        "[type(part).__name__ for part in t.parts], repr(t), repr(t.inv)",
    ),
    (
        "IndependentTransform.base_transform",
        f"IndependentTransform({_T}.ExpTransform(), 1)",
        "repr(t.base_transform), repr(t)",
    ),
    (
        "CatTransform.transforms",
        f"CatTransform([{_T}.ExpTransform(), {_T}.AbsTransform()])",
        "[repr(one) for one in t.transforms]",
    ),
    ("StackTransform.transforms", f"StackTransform([{_T}.ExpTransform()])", "len(t.transforms)"),
    (
        "CumulativeDistributionTransform.distribution",
        f"CumulativeDistributionTransform({_T}.Normal(0.0, 1.0))",
        "t.distribution.mean",
    ),
    ("Transform.with_cache", "ExpTransform()", "t.with_cache(1)(x), t.with_cache(0) is t"),
):
    rules.keep(
        f"{_place(_member.partition('.')[0])}.{_member.rpartition('.')[2]}",
        cases=[f"t = {_T}.{_made}\nr = {_read}\nt = None"],
    )
rules.row(
    f"{_D}.transforms.identity_transform",
    "TorchComposeTransform([])",
    cases=[
        f"r = {_D}.transforms.identity_transform(x)",
        f"t = {_D}.ComposeTransform([])\nr = t(x), t.log_abs_det_jacobian(x, x)\nt = None",
    ],
)
_SHAPED = [
    "StickBreakingTransform()",
    "ReshapeTransform((3,), (1, 3))",
    "ExpTransform()",
    "ComposeTransform([torch.distributions.StickBreakingTransform()])",
]
for _member in ("forward_shape", "inverse_shape"):
    rules.keep(
        f"{_place('Transform')}.{_member}",
        cases=[
            f"t = torch.distributions.{made}\n"
            f"r = tuple(t.{_member}(({'5, 1, 3' if _member == 'inverse_shape' else '5, 3'},)))\n"
            "t = None"
            for made in _SHAPED
        ],
    )
rules.keep(
    f"{_place('Transform')}.sign",
    cases=[
        f"r = {_T}.IndependentTransform({_T}.ExpTransform(), 1).sign",
        f"r = {_T}.ComposeTransform([{_T}.ExpTransform(), {_T}.AffineTransform(0.0, -1.0)]).sign",
    ],
)
for _member, _made in (
    ("bijective", "AbsTransform()"),
    ("bijective", "ExpTransform()"),
    ("bijective", "LowerCholeskyTransform()"),
    ("event_dim", "SoftmaxTransform()"),
    ("sign", "AffineTransform(0.0, -2.0)"),
    ("sign", "AffineTransform(x, y)"),
    ("sign", "PowerTransform(torch.tensor(-2.0))"),
    *(("sign", f"{name}Transform()") for name in ("Exp", "Sigmoid", "Tanh", "Softplus")),
):
    _names = (f"{_D}.{_made.partition('(')[0]}.{_member}", f"{_place('Transform')}.{_member}")
    for _name in _names:
        if _name in load().names and not any(rule.name == _name for rule in rules.rules):
            rules.keep(_name, cases=[f"t = torch.distributions.{_made}\nr = t.{_member}\nt = None"])
rules.keep(
    f"{_place('Transform')}.log_abs_det_jacobian",
    cases=[f"{_MADE}r = t.log_abs_det_jacobian(v, t(v))\nt = None"],
)
_NORMAL = "torch.distributions.Normal(torch.zeros(2), torch.ones(2))"
_POINT = "v = torch.tensor([0.2, 0.7])\n"
rules.row(
    f"{_D}.TransformedDistribution",
    same_call(f"{_D}.TransformedDistribution", "TorchTransformedDistribution"),
    value="TorchTransformedDistribution",
    cases=[
        f"{_POINT}d = torch.distributions.TransformedDistribution({_NORMAL}, {transforms})\n"
        "r = d.log_prob(v), d.sample((3,)).shape, tuple(d.batch_shape), tuple(d.event_shape)\n"
        "d = None"
        for transforms in (
            "torch.distributions.ExpTransform()",
            "[torch.distributions.AffineTransform(1.0, 2.0, event_dim=1)]",
            "transforms=[torch.distributions.TanhTransform(), "
            "torch.distributions.AffineTransform(0.0, torch.tensor([2.0, -3.0]))]",
        )
    ]
    + [
        "import torch.distributions as D\n"
        f"d = D.TransformedDistribution(D.Normal(torch.zeros(2, 4), torch.ones(4)), [{chain}])\n"
        "v = d.sample() * 0 + 0.2\nr = d.log_prob(v), d.sample((3,)).shape, d.batch_shape, "
        "d.event_shape, [one.bijective for one in d.transforms], D.Transform().bijective\nd = None"
        for chain in (
            "D.ReshapeTransform((4,), (2, 2))",
            "D.ExpTransform(), D.ReshapeTransform((2, 4), (8,)), D.AffineTransform(-1.0, 2.0)",
            "D.StickBreakingTransform()",
            "D.ComposeTransform([D.ExpTransform(), D.ReshapeTransform((4,), (2, 1, 2))])",
            "D.ReshapeTransform((2, 2), (4,)).inv, D.IndependentTransform(D.TanhTransform(), 1)",
        )
    ],
)
for _member, _read in (
    ("log_prob", "d.log_prob(v)"),
    ("cdf", "d.cdf(v)"),
    ("icdf", "d.icdf(v)"),
    ("sample", "d.sample((3,)).shape"),
    ("rsample", "d.rsample((3,)).shape"),
    ("base_dist", "d.base_dist.mean"),
    ("transforms", "len(d.transforms)"),
    ("has_rsample", "d.has_rsample"),
):
    _name = f"{_D}.TransformedDistribution.{_member}"
    _entry = load().get(_name)
    if _entry is not None and _entry.alias_of is None:
        rules.keep(
            _name,
            cases=[
                f"{_POINT}d = torch.distributions.TransformedDistribution({_NORMAL}, "
                f"[torch.distributions.AffineTransform(1.0, -2.0)])\nr = {_read}\nd = None"
            ],
        )
# What has no rule: constraints of composed distributions, and what maps to them.
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
        rules.refuse(_each, reason="its constraint depends on what the distribution is made of")
