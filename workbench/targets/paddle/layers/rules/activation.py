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

_NAN = "it is 0 for NaN in Paddle, NaN in torch"

# Layers with an in-place option: the function, its arguments by Paddle's keywords, and a note.
# Paddle's own layers have no such option, so all of them need helpers.
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
# Replacements for integers, which Paddle's functions do not accept.
_WHOLE = {
    "relu": "torch_relu({input})",
    "relu6": "paddle.clip({input}, 0, 6)",
    "hardtanh": "paddle.clip({input}, int({min_val=-1}), int({max_val=1}))",
}


def _of_whole(match: Match) -> bool:
    """Return whether the input is known to hold integers."""
    value = match.value("input")
    return isinstance(value, Tensor) and (value.dtype or "").lstrip("u").startswith("int")


def _is_complex(match: Match) -> bool:
    """Return whether the input is known to hold complex numbers."""
    value = match.value("input")
    return isinstance(value, Tensor) and (value.dtype or "").startswith("complex")


def _unpacked(function: str, over: str, call: str) -> str | None:
    """Return a lambda for calls with `*` or `**`, which may set `inplace`."""
    entry = load().get(f"torch.nn.functional.{function}")
    assert entry is not None
    chosen = f"({over} if {{inplace}} else {call})"
    return through_lambda((chosen,), entry.signatures[0], (), method=False)


def _layer(name: str) -> None:
    function, arguments, note = _INPLACE[name]
    rules.counterpart(f"torch.nn.{name}", f"Torch{name}", note=note)

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
    """Add the rules of `relu_` and similar functions."""
    own = name in ("celu", "leaky_relu", "rrelu", "selu", "threshold")
    function = f"torch_{name}" if own else f"paddle.nn.functional.{name}"
    over = f"torch_in_place({function}, {{input}}{_OVER.get(name, '')})"
    over = "paddle.nn.functional.relu_({input})" if name == "relu" else over
    entry = load().get(f"torch.nn.functional.{name}_")
    assert entry is not None

    @rules.rule(
        f"torch.nn.functional.{name}_",
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

_PLAIN = (
    ("Sigmoid", "paddle.nn.Sigmoid()", "paddle.nn.Sigmoid"),
    ("Tanh", "paddle.nn.Tanh()", "paddle.nn.Tanh"),
    ("Softsign", "paddle.nn.Softsign()", "paddle.nn.Softsign"),
    ("Tanhshrink", "paddle.nn.Tanhshrink()", "paddle.nn.Tanhshrink"),
    ("LogSigmoid", "paddle.nn.LogSigmoid()", "paddle.nn.LogSigmoid"),
    ("Softplus", "paddle.nn.Softplus(beta={beta}, threshold={threshold})", "paddle.nn.Softplus"),
    ("GLU", "paddle.nn.GLU(axis={dim})", "paddle.nn.GLU"),
    ("Softmax2d", "TorchSoftmax2d()", "TorchSoftmax2d"),
    ("Softmin", "TorchSoftmin(dim={dim})", "TorchSoftmin"),
    ("CELU", "TorchCELU(alpha={alpha}, inplace={inplace})", "TorchCELU"),
    ("Hardshrink", "TorchHardshrink(lambd={lambd})", "TorchHardshrink"),
    ("Softshrink", "TorchSoftshrink(lambd={lambd})", "TorchSoftshrink"),
    ("Threshold", "TorchThreshold({threshold}, {value}, inplace={inplace})", "TorchThreshold"),
    ("RReLU", "TorchRReLU(...)", "TorchRReLU"),
    ("PReLU", same_call("torch.nn.PReLU", "TorchPReLU"), "TorchPReLU"),
    ("functional.sigmoid", "paddle.nn.functional.sigmoid({input})", ""),
    ("functional.tanh", "paddle.tanh({input})", ""),
    ("functional.logsigmoid", "torch_log_sigmoid({input})", ""),
    (
        "functional.softplus",
        "paddle.nn.functional.softplus({input}, beta={beta}, threshold={threshold})",
        "",
    ),
    ("functional.glu", "paddle.nn.functional.glu({input}, axis={dim})", ""),
    ("functional.hardshrink", "torch_hardshrink({input}, lambd={lambd})", ""),
    ("functional.softshrink", "torch_softshrink({input}, lambd={lambd})", ""),
    ("functional.prelu", "torch_prelu({input}, {weight})", ""),
)
_INTO = ("functional.softplus", "functional.hardshrink", "functional.softshrink")  # take `out=`
for _name, _template, _value in _PLAIN:
    rules.row(
        f"torch.nn.{_name}",
        _template,
        *([f"torch_out({_template}, {{out}})"] if _name in _INTO else []),
        value=_value or None,
    )

for _name in ("softsign", "tanhshrink"):

    @rules.rule(
        f"torch.nn.functional.{_name}",
        value=f"paddle.nn.functional.{_name}",
        unpacked=f"(lambda input: paddle.nn.functional.{_name}(torch_inexact(input)))(...)",
    )
    def of_floats(match: Match, name: str = _name) -> Outcome:
        """Write Paddle's function, which does not accept integers."""
        given = "torch_inexact({input})" if _of_whole(match) else "{input}"
        return Rewrite(f"paddle.nn.functional.{name}({given})")


# Its defaults are quotients; for literal ones such a lambda is generated from the row.
_DRAWN = (
    "(lambda input, lower=1 / 8, upper=1 / 3, training=False, inplace=False: "
    "torch_in_place(torch_rrelu, input, lower, upper, training) if inplace "
    "else torch_rrelu(input, lower, upper, training))(...)"
)
for _name in ("celu", "threshold", "rrelu"):
    _call = same_call(f"torch.nn.functional.{_name}", f"torch_{_name}", without=("inplace",))
    _over = _call.replace(f"torch_{_name}(", f"torch_in_place(torch_{_name}, ")

    @rules.rule(
        f"torch.nn.functional.{_name}",
        value=f"torch_{_name}",
        unpacked=_DRAWN if _name == "rrelu" else _unpacked(_name, _over, _call),
    )
    def with_inplace(match: Match, call: str = _call, over: str = _over) -> Outcome:
        """Return a call that overwrites its input through `torch_in_place` if `inplace` is true."""
        consumed = frozenset({"inplace"}) & match.arguments.keys()
        flag = match.constant("inplace", False)
        drawn = match.constant("training", False) is not False
        note = "Paddle draws other random numbers" if drawn else None
        if flag is NOT_CONSTANT:
            return Rewrite(f"{over} if {{inplace}} else {call}", note=note)
        return Rewrite(over if flag else call, consumed=consumed, note=note)


def _gelu(match: Match, start: str) -> Outcome:
    """Write the approximation as a bool, as Paddle takes it."""
    how = match.constant("approximate", "none")
    if how is NOT_CONSTANT:
        return Rewrite(start + "approximate={approximate} == 'tanh')")
    consumed = frozenset({"approximate"}) & match.arguments.keys()
    end = "approximate=True)" if how == "tanh" else ")"
    return Rewrite((start + end).replace(", )", ")"), consumed=consumed)


@rules.rule(
    "torch.nn.GELU",
    value="paddle.nn.GELU",
    unpacked="(lambda approximate='none': paddle.nn.GELU(approximate == 'tanh'))(...)",
)
def gelu_layer(match: Match) -> Outcome:
    """Write a layer of Paddle."""
    return _gelu(match, "paddle.nn.GELU(")


@rules.rule(
    "torch.nn.functional.gelu",
    value="paddle.nn.functional.gelu",
    unpacked="(lambda input, *, approximate='none': "
    "paddle.nn.functional.gelu(input, approximate=approximate == 'tanh'))(...)",
)
def gelu(match: Match) -> Outcome:
    """Write a function of Paddle."""
    outcome = _gelu(match, "paddle.nn.functional.gelu({input}, ")
    if match.given("out") and isinstance(outcome, Rewrite):
        return replace(outcome, template=f"torch_out({outcome.template}, {{out}})")
    return outcome


@rules.rule(
    "torch.nn.functional.softmax",
    value="torch_softmax",
    unpacked="(lambda input, dim=None, _stacklevel=3, dtype=None: "
    "torch_softmax(input, dim, dtype))(...)",
)
def softmax(match: Match) -> Outcome:
    """Use a helper without `dim`: torch chooses one by the number of dimensions."""
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
    ignored={"_stacklevel": "it affects only the line that a warning names"},
)


@rules.rule("torch.nn.Softmax", value="paddle.nn.Softmax", unpacked="TorchSoftmax(...)")
def softmax_layer(match: Match) -> Outcome:
    """Write the layer as the function is written."""
    if match.constant("dim", None) is None:
        return Rewrite("TorchSoftmax(dim={dim})")
    return Rewrite("paddle.nn.Softmax(axis={dim})")


rules.counterpart("torch.nn.LogSoftmax", "TorchLogSoftmax")


rules.row(
    "torch.nn.functional.softmin",
    "torch_softmax(-{input}, {dim}, dtype={dtype})",
    ignored={"_stacklevel": "it affects only the line that a warning names"},
)
