"""Activation layers and their functions."""

from __future__ import annotations

from dataclasses import replace

from workbench.rules.match import NOT_CONSTANT, Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call
from workbench.rules.unpacked import through_lambda
from workbench.source.types.lattice import Tensor
from workbench.source.uses import UseKind
from workbench.upstream.facts import load

rules = RuleSet()

_NAN = "a NaN becomes 0 in Paddle"

# Layers that may work in place: the function, its arguments by Paddle's keywords, and what is
# worth knowing. Paddle's own layers cannot be told to, so that helpers stand for all of them.
_INPLACE: dict[str, tuple[str, str, str | None]] = {
    "ReLU": ("relu", "", _NAN),
    "ReLU6": ("relu6", "", None),
    "SiLU": ("silu", "", None),
    "Mish": ("mish", "", None),
    "Hardsigmoid": ("hardsigmoid", "", None),
    "Hardswish": ("hardswish", "", None),
    "SELU": ("selu", "", None),
    "ELU": ("elu", "alpha={alpha}", None),
    "LeakyReLU": ("leaky_relu", "negative_slope={negative_slope}", None),
    "Hardtanh": ("hardtanh", "min={min_val}, max={max_val}", None),
}
# The gradient of Paddle's own silu is NaN below -88, that of its leaky_relu 1 at exactly 0, and its
# selu has its numbers in float32.
_SPELLED = {
    "silu": "paddle.nn.functional.swish",
    "leaky_relu": "torch_leaky_relu",
    "selu": "torch_selu",
}
# Of integers, which Paddle's functions do not take.
_WHOLE = {
    "relu": "torch_relu({input})",
    "relu6": "paddle.clip({input}, 0, 6)",
    "hardtanh": "paddle.clip({input}, int({min_val=-1}), int({max_val=1}))",
}
_SHOWN = {
    "leaky_relu": [
        "t = torch.tensor([-1., 0., 2.], requires_grad=True)\n"
        "F.leaky_relu(t, 0.2).sum().backward()\nl = nn.LeakyReLU()(t * 2)\n"
        "l.sum().backward()\ng = t.grad",
        "l = nn.LeakyReLU(0.2, inplace=True)\n"
        "g, = torch.autograd.grad((l(w * 2) ** 2).sum(), w, create_graph=True)\n"
        "g.square().sum().backward()\nh = w.grad",
    ],
    "silu": [
        "t = torch.tensor([-200., -90., 0., 90.], requires_grad=True)\n"
        "F.silu(t).sum().backward()\nl = nn.SiLU()(t * 2)\nl.sum().backward()\ng = t.grad",
        "F.silu(x.to(torch.complex64))",
    ],
    "selu": [
        "t = torch.tensor([-9., -2., 0., 3.], dtype=torch.float64, requires_grad=True)\n"
        "F.selu(t).sum().backward()\nl = nn.SELU()(t * 2)\nl.sum().backward()\ng = t.grad"
    ],
    "relu": ["F.relu(i - 2)", "flag = len(x) > 9\nF.relu(i - 2, flag)"],
    "relu6": ["F.relu6(i * 4 - 2)"],
    "hardtanh": ["F.hardtanh(i - 2)", "F.hardtanh(i, 1, 2)", "F.hardtanh(i - 2, max_val=1.5)"],
}
_GIVEN = {
    "ELU": "0.5",
    "LeakyReLU": "negative_slope=0.2",
    "Hardtanh": "-0.5, max_val=0.7",
}


def _of_whole(match: Match) -> bool:
    """Whether the input is known to hold integers."""
    value = match.value("input")
    return isinstance(value, Tensor) and (value.dtype or "").lstrip("u").startswith("int")


def _is_complex(match: Match) -> bool:
    """Whether the input is known to hold complex numbers."""
    value = match.value("input")
    return isinstance(value, Tensor) and (value.dtype or "").startswith("complex")


def _unpacked(function: str, over: str, call: str) -> str | None:
    """A call with `*` or `**`, which may say that the input is written over."""
    entry = load().get(f"torch.nn.functional.{function}")
    assert entry is not None
    chosen = f"({over} if {{inplace}} else {call})"
    return through_lambda((chosen,), entry.signatures[0], (), method=False)


def _layer(name: str) -> None:
    function, arguments, note = _INPLACE[name]
    given = _GIVEN.get(name, "")
    comma = ", " if given else ""
    rules.row(
        f"torch.nn.{name}",
        f"Torch{name}(...)",
        value=f"Torch{name}",
        note=note,
        cases=[
            f"nn.{name}({given})(x)",
            f"l = nn.{name}({given}{comma}inplace=True)\nv = x * 1\nr = l(v)\nr is v, v, r",
            f"l = nn.{name}({given}{comma}inplace=True)\nv = w * 2\nl(v)\nv.sum().backward()\n"
            "g = w.grad",
            *(
                [f"v = i - 2\nr = nn.{name}()(v), nn.{name}(inplace=True)(v)\nv"]
                if name in ("ReLU", "ReLU6", "Hardtanh")
                else []
            ),
            f"def _make(act=nn.{name}):\n    return act(inplace=True)\nl = _make()\n"
            f"r = l(x), isinstance(l, nn.{name}), type(l) is nn.{name}",
        ],
    )

    spelled = _SPELLED.get(function, f"paddle.nn.functional.{function}")
    call = f"{spelled}({{input}}{', ' if arguments else ''}{arguments.replace('alpha=', '')})"
    if name == "ELU":
        call = f"{spelled}({{input}}, alpha={{alpha}})"
    in_place = call.replace(f"{spelled}({{input}}", f"torch_in_place({spelled}, {{input}}")
    if name == "ReLU":
        in_place = "paddle.nn.functional.relu_({input})"

    @rules.rule(
        f"torch.nn.functional.{function}",
        value=spelled,
        unpacked=_unpacked(function, in_place, call),
        cases=[
            f"how = {{'inplace': True}}\nv = x * 1\nr = F.{function}(v, **how)\nr is v, v",
            f"F.{function}(x{comma}{given})",
            f"v = x * 1\nr = F.{function}(input=v{_keywords(given)}, inplace=True)\nr is v, v, r",
            f"v = x * 1\nf = F.{function}\nr = f(v, inplace=True)\nr is v, v, r, f(y)",
            *_SHOWN.get(function, ()),
        ],
    )
    def functional(match: Match) -> Outcome:
        consumed = frozenset({"inplace"}) & match.arguments.keys()
        flag = match.constant("inplace", False)
        whole = _of_whole(match)
        if function == "silu" and flag is False and _is_complex(match):
            return Rewrite("paddle.nn.functional.silu({input})", consumed=consumed)
        if whole and function in _WHOLE and flag is False:
            return Rewrite(_WHOLE[function], consumed=consumed)
        if whole and function == "relu" and flag is NOT_CONSTANT:
            over = "torch_in_place(torch_relu, {input})"
            return Rewrite(f"{over} if {{inplace}} else {_WHOLE[function]}")
        if flag is False:
            return Rewrite(call, consumed=consumed, note=note)
        if flag is NOT_CONSTANT:
            return Rewrite(f"{in_place} if {{inplace}} else {call}", note=note)
        return Rewrite(in_place, consumed=consumed, note=note)


def _keywords(given: str) -> str:
    """The arguments of a case, all by keyword."""
    return {"0.5": ", alpha=0.5", "-0.5, max_val=0.7": ", min_val=-0.5, max_val=0.7"}.get(
        given, f", {given}" if given else ""
    )


for _name in _INPLACE:
    _layer(_name)

_OVER = {
    "elu": ", {alpha}",
    "leaky_relu": ", {negative_slope}",
    "celu": ", {alpha}",
    "hardtanh": ", {min_val=-1.0}, {max_val=1.0}",
    "threshold": ", {threshold}, {value}",
    "rrelu": ", {lower=1 / 8}, {upper=1 / 3}, {training=False}",
}


def _written_over(name: str) -> None:
    """`relu_` and its like."""
    own = name in ("celu", "leaky_relu", "rrelu", "selu", "threshold")
    function = f"torch_{name}" if own else f"paddle.nn.functional.{name}"
    given = ", 0.1, 20.0" if name == "threshold" else ""
    whole = [f"v = i - 2\nr = F.{name}_(v)\nr is v, v"] if name in ("relu", "hardtanh") else []
    over = f"torch_in_place({function}, {{input}}{_OVER.get(name, '')})"
    over = "paddle.nn.functional.relu_({input})" if name == "relu" else over
    entry = load().get(f"torch.nn.functional.{name}_")
    assert entry is not None

    @rules.rule(
        f"torch.nn.functional.{name}_",
        cases=[
            f"v = x * 1\nr = F.{name}_(v{given})\nr is v, v",
            f"v = x * 1\nf = F.{name}_\nr = f(*(v{given},))\nr is v, v",
            *whole,
        ],
        unpacked=through_lambda((over,), entry.signatures[0], (), method=False),
        note=_NAN if name == "relu" else None,
    )
    def in_place(match: Match) -> Outcome:
        if _of_whole(match) and name in _WHOLE:
            return Rewrite("torch_in_place(" + _WHOLE[name].replace("(", ", ", 1))
        return Rewrite(over, note=_NAN if name == "relu" else None)


for _name in ("relu", "elu", "leaky_relu", "hardtanh", "selu", "celu", "rrelu", "threshold"):
    _written_over(_name)

# Without an in-place form ----------------------------------------------------------------------

_PLAIN: tuple[tuple[str, str, str, list[str]], ...] = (
    ("Sigmoid", "paddle.nn.Sigmoid()", "paddle.nn.Sigmoid", ["nn.Sigmoid()(x)"]),
    ("Tanh", "paddle.nn.Tanh()", "paddle.nn.Tanh", ["nn.Tanh()(x)"]),
    ("Softsign", "paddle.nn.Softsign()", "paddle.nn.Softsign", ["nn.Softsign()(x)"]),
    ("Tanhshrink", "paddle.nn.Tanhshrink()", "paddle.nn.Tanhshrink", ["nn.Tanhshrink()(x)"]),
    ("LogSigmoid", "paddle.nn.LogSigmoid()", "paddle.nn.LogSigmoid", ["nn.LogSigmoid()(x)"]),
    (
        "Softplus",
        "paddle.nn.Softplus(beta={beta}, threshold={threshold})",
        "paddle.nn.Softplus",
        ["nn.Softplus()(x)", "nn.Softplus(2, threshold=1.0)(x)"],
    ),
    ("GLU", "paddle.nn.GLU(axis={dim})", "paddle.nn.GLU", ["nn.GLU()(x)", "nn.GLU(1)(x)"]),
    ("Softmax2d", "TorchSoftmax2d()", "TorchSoftmax2d", ["nn.Softmax2d()(img)"]),
    ("Softmin", "TorchSoftmin(dim={dim})", "TorchSoftmin", ["nn.Softmin(dim=1)(x)"]),
    (
        "CELU",
        "TorchCELU(alpha={alpha}, inplace={inplace})",
        "TorchCELU",
        [
            "nn.CELU(0.5)(x)",
            "str(nn.CELU()), str(nn.CELU(0.5, True)), str(nn.Softmax())",
            "v = x * 1\nr = nn.CELU(inplace=True)(v)\nr is v, v",
        ],
    ),
    (
        "Hardshrink",
        "TorchHardshrink(lambd={lambd})",
        "TorchHardshrink",
        ["nn.Hardshrink()(torch.tensor([0.5, -0.5, 0.6, float('nan')]))"],
    ),
    (
        "Softshrink",
        "TorchSoftshrink(lambd={lambd})",
        "TorchSoftshrink",
        ["nn.Softshrink(0.3)(torch.tensor([0.5, -0.5, 0.1, float('inf')]))"],
    ),
    (
        "Threshold",
        "TorchThreshold({threshold}, {value}, inplace={inplace})",
        "TorchThreshold",
        ["nn.Threshold(0.1, 20)(x)", "v = x * 1\nr = nn.Threshold(0.1, 2.0, True)(v)\nv"],
    ),
    (
        "RReLU",
        "TorchRReLU(...)",
        "TorchRReLU",
        [
            "nn.RReLU(0.1, 0.3).eval()(x)",
            "nn.RReLU(0.2, 0.2)(x)",
            "given = (0.2, 0.2, True)\nl = nn.RReLU(*given)\nr = l(x * 1), str(l), str(nn.RReLU())",
        ],
    ),
    (
        "PReLU",
        same_call("torch.nn.PReLU", "TorchPReLU"),
        "TorchPReLU",
        [
            "l = nn.PReLU()\nr = l(x), list(l.state_dict())",
            "nn.PReLU(num_parameters=3, init=0.1)(img)",
        ],
    ),
    ("functional.sigmoid", "paddle.nn.functional.sigmoid({input})", "", ["F.sigmoid(x)"]),
    ("functional.tanh", "paddle.tanh({input})", "", ["F.tanh(x)"]),
    (
        "functional.logsigmoid",
        "torch_log_sigmoid({input})",
        "",
        [
            "F.logsigmoid(w * 90).sum().backward()\ng = w.grad",
            "F.logsigmoid(torch.tensor([-float('inf'), -2e4, 0.0, float('inf'), float('nan')]))",
        ],
    ),
    (
        "functional.softplus",
        "paddle.nn.functional.softplus({input}, beta={beta}, threshold={threshold})",
        "",
        ["F.softplus(x)", "F.softplus(x, 2, threshold=1.0)"],
    ),
    (
        "functional.glu",
        "paddle.nn.functional.glu({input}, axis={dim})",
        "",
        ["F.glu(x)", "F.glu(x, dim=1)"],
    ),
    (
        "functional.hardshrink",
        "torch_hardshrink({input}, lambd={lambd})",
        "",
        ["F.hardshrink(x, 0.3)", "F.hardshrink(torch.tensor([0.5, -0.5, 0.6, float('nan')]))"],
    ),
    ("functional.softshrink", "torch_softshrink({input}, lambd={lambd})", "", ["F.softshrink(x)"]),
    (
        "functional.prelu",
        "torch_prelu({input}, {weight})",
        "",
        ["F.prelu(x, torch.tensor([0.1]))", "F.prelu(img, x[0, :3])"],
    ),
)
_INTO = ("functional.softplus", "functional.hardshrink", "functional.softshrink")  # take `out=`
for _name, _template, _value, _cases in _PLAIN:
    _short = _name.removeprefix("functional.")
    _into = [f"o = torch.empty(3, 4)\nr = F.{_short}(x, out=o)\nr is o"] if _name in _INTO else []
    rules.row(
        f"torch.nn.{_name}",
        _template,
        *([f"torch_out({_template}, {{out}})"] if _into else []),
        value=_value or None,
        cases=[*_cases, *_into],
    )

for _name in ("softsign", "tanhshrink"):

    @rules.rule(
        f"torch.nn.functional.{_name}",
        value=f"paddle.nn.functional.{_name}",
        unpacked=f"(lambda input: paddle.nn.functional.{_name}(torch_inexact(input)))(...)",
        cases=[
            f"F.{_name}(x)",
            f"F.{_name}(input=i)",
            f"f = F.{_name}\nf(x)",
            f"F.{_name}(**{{'input': x}}), F.{_name}(*[y])",
        ],
    )
    def of_floats(match: Match, name: str = _name) -> Outcome:
        """Paddle's own, which takes no integers."""
        given = "torch_inexact({input})" if _of_whole(match) else "{input}"
        return Rewrite(f"paddle.nn.functional.{name}({given})")


# Its defaults are quotients; of literals alone such a lambda is made from the row.
_DRAWN = (
    "(lambda input, lower=1 / 8, upper=1 / 3, training=False, inplace=False: "
    "torch_in_place(torch_rrelu, input, lower, upper, training) if inplace "
    "else torch_rrelu(input, lower, upper, training))(...)"
)
for _name, _cases in {
    "celu": ["F.celu(x, 0.5)", "v = x * 1\nr = F.celu(v, inplace=True)\nr is v, v"],
    "threshold": [
        "F.threshold(x, 0.1, value=20.0)",
        "v = x * 1\nr = F.threshold(v, 0.1, 2.0, inplace=True)\nr is v, v",
        "v = w[0, 0] * 2\nr = F.threshold(v, 9.0, 2.0, inplace=True)\nr is v, v",
        "v = w.sum() * 1\nF.silu(v, inplace=True)\nv.backward()\ng = w.grad",
    ],
    "rrelu": [
        "F.rrelu(x)",
        "F.rrelu(x, 0.2, 0.2, training=True)",
        "F.rrelu(x, upper=1.5)",
        "F.rrelu(*[x], **{'upper': 0.5}), F.rrelu(*[x, 0.1, 0.1, True])",
    ],
}.items():
    _call = same_call(f"torch.nn.functional.{_name}", f"torch_{_name}", without=("inplace",))
    _over = _call.replace(f"torch_{_name}(", f"torch_in_place(torch_{_name}, ")

    @rules.rule(
        f"torch.nn.functional.{_name}",
        value=f"torch_{_name}",
        cases=_cases,
        unpacked=_DRAWN if _name == "rrelu" else _unpacked(_name, _over, _call),
    )
    def with_inplace(match: Match, call: str = _call, over: str = _over) -> Outcome:
        """Helpers that are told to write over their input through `torch_in_place`."""
        consumed = frozenset({"inplace"}) & match.arguments.keys()
        flag = match.constant("inplace", False)
        drawn = match.constant("training", False) is not False
        note = "Paddle draws other random numbers" if drawn else None
        if flag is NOT_CONSTANT:
            return Rewrite(f"{over} if {{inplace}} else {call}", note=note)
        return Rewrite(over if flag else call, consumed=consumed, note=note)


def _gelu(match: Match, start: str) -> Outcome:
    """Paddle takes a truth value for the approximation."""
    how = match.constant("approximate", "none")
    if how is NOT_CONSTANT:
        return Rewrite(start + "approximate={approximate} == 'tanh')")
    consumed = frozenset({"approximate"}) & match.arguments.keys()
    end = "approximate=True)" if how == "tanh" else ")"
    return Rewrite((start + end).replace(", )", ")"), consumed=consumed)


@rules.rule(
    "torch.nn.GELU",
    value="paddle.nn.GELU",
    cases=[
        "nn.GELU()(x)",
        "nn.GELU(approximate='tanh')(x)",
        "l = nn.GELU\nl()(x)",
        "how = {'approximate': 'tanh'}\nnn.GELU(**how)(x)",
    ],
    unpacked="(lambda approximate='none': paddle.nn.GELU(approximate == 'tanh'))(...)",
)
def gelu_layer(match: Match) -> Outcome:
    """A layer of Paddle's."""
    return _gelu(match, "paddle.nn.GELU(")


@rules.rule(
    "torch.nn.functional.gelu",
    value="paddle.nn.functional.gelu",
    cases=[
        "F.gelu(x)",
        "F.gelu(x, approximate='tanh')",
        "[f(x) for f in (F.gelu, F.relu)]",
        "how = 'tanh'\nF.gelu(input=x, approximate=how)",
        "f = F.gelu\nf(x)",
        "how = {'approximate': 'tanh'}\nF.gelu(x, **how)",
        "o = torch.empty(3, 4)\nr = F.gelu(x, approximate='tanh', out=o)\nr is o",
    ],
    unpacked="(lambda input, *, approximate='none': "
    "paddle.nn.functional.gelu(input, approximate=approximate == 'tanh'))(...)",
)
def gelu(match: Match) -> Outcome:
    """A function of Paddle's."""
    outcome = _gelu(match, "paddle.nn.functional.gelu({input}, ")
    if match.given("out") and isinstance(outcome, Rewrite):
        return replace(outcome, template=f"torch_out({outcome.template}, {{out}})")
    return outcome


def _softmax_cases(name: str) -> list[str]:
    return [
        f"F.{name}(x, dim=1)",
        f"F.{name}(input=x, dim=-1, dtype=torch.float64)",
        f"F.{name}(a)",
        f"f = F.{name}\nf(x, dim=0)",
        f"import functools\nf = functools.partial(F.{name}, dim=-1)\nf(a)",
        f"F.{name}(w * 100, 1).sum(0)[0].backward()\ng = w.grad",
    ]


@rules.rule(
    "torch.nn.functional.softmax",
    value="torch_softmax",
    cases=[
        *_softmax_cases("softmax"),
        "how = {'dim': 1}\nF.softmax(x, **how), nn.Softmax(**how)(x)",
    ],
    unpacked="(lambda input, dim=None, _stacklevel=3, dtype=None: "
    "torch_softmax(input, dim, dtype))(...)",
)
def softmax(match: Match) -> Outcome:
    """Without a dimension torch chooses one by the number of dimensions."""
    consumed = frozenset({"_stacklevel"}) & match.arguments.keys()
    through_a_value = match.use.kind in {UseKind.INDIRECT, UseKind.PARTIAL}
    if match.constant("dim", None) is None or through_a_value:
        return Rewrite("torch_softmax({input}, dim={dim}, dtype={dtype})", consumed=consumed)
    call = "paddle.nn.functional.softmax({input}, axis={dim}, dtype={dtype})"
    return Rewrite(call, consumed=consumed)


rules.row(
    "torch.nn.functional.log_softmax",
    "torch_log_softmax({input}, dim={dim}, dtype={dtype})",
    value="torch_log_softmax",
    ignored={"_stacklevel": "it only says where a warning points to"},
    cases=_softmax_cases("log_softmax"),
)


@rules.rule(
    "torch.nn.Softmax",
    value="paddle.nn.Softmax",
    cases=["nn.Softmax(dim=1)(x)", "nn.Softmax(-1)(a)", "nn.Softmax()(a)"],
    unpacked="TorchSoftmax(...)",
)
def softmax_layer(match: Match) -> Outcome:
    """As the function."""
    if match.constant("dim", None) is None:
        return Rewrite("TorchSoftmax(dim={dim})")
    return Rewrite("paddle.nn.Softmax(axis={dim})")


rules.row(
    "torch.nn.LogSoftmax",
    "TorchLogSoftmax(...)",
    value="TorchLogSoftmax",
    cases=["nn.LogSoftmax(dim=1)(x * 100)", "nn.LogSoftmax()(a)"],
)


rules.row(
    "torch.nn.functional.softmin",
    "torch_softmax(-{input}, {dim}, dtype={dtype})",
    ignored={"_stacklevel": "it only says where a warning points to"},
    cases=["F.softmin(x, dim=1)", "F.softmin(a)"],
)
