"""Activations, layers and functions, as Paddle writes them."""

from __future__ import annotations

import ast

from workbench.rules.difference import Difference, at
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.source.traits.program import Program
from workbench.source.types.lattice import Tensor
from workbench.source.uses import UseKind
from workbench.targets.paddle.common.corners import RELU_OF_NAN
from workbench.targets.paddle.common.in_place import takes_new_input, unseen
from workbench.targets.paddle.common.writing import (
    flag,
    floats,
    native,
    older,
    underived,
    written,
)

forms = FormSet()

_SLOPES = (Difference.RANDOM_DRAWS, Difference.PRINTED_TEXT)  # `training` is printed, too
# The values or gradients that differ from torch's.
_OTHER = {
    "relu": at(RELU_OF_NAN),
    "leaky_relu": at(
        "the gradient of leaky_relu at 0 is 1 in {target}, the negative slope in torch"
    ),
    "hardshrink": at(
        "hardshrink keeps values that equal the threshold in {target}; torch sets them to 0"
    ),
    "softshrink": at("softshrink of an infinite value is NaN in {target}, infinite in torch"),
    "logsigmoid": at("logsigmoid(-inf) is NaN in {target}, -inf in torch"),
    "silu": at("the gradient of silu for values below -88 is NaN in {target}, 0 in torch"),
    "gelu": at("gelu(inf) is inf in {target}, NaN in torch"),
    "celu": at("the gradient of celu for values above 88 is NaN in {target}, 1 in torch"),
    "hardswish": at(
        "the gradient of hardswish at an infinite value is NaN in {target}, 1 or 0 in torch"
    ),
}
_LOG_SOFTMAX = at(
    "log_softmax is at least -64 in {target}: it is larger than in torch for scores more"
    " than 64 below the largest"
)
_SOFTMAX = at(
    "softmax is at least 1.6e-28 in {target}: it is larger than in torch for scores more"
    " than 64 below the largest"
)
_KEPT = "the input keeps its values, which torch's `inplace=True` overwrites"

# Activations with a slope below 0, whose gradient at 0 is 1 in Paddle and the slope in torch.
_SLOPED = frozenset({"LeakyReLU", "RReLU", "leaky_relu"})
_CONVOLUTIONS = ("Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d")
# Paddle's name of a layer, torch's members that it lacks, and its names of arguments.
_LAYERS: dict[str, tuple[str, tuple[str, ...], dict[str, str]]] = {
    "ReLU": ("ReLU", (), {}),
    "ReLU6": ("ReLU6", ("min_val", "max_val"), {}),
    "SiLU": ("Silu", (), {}),
    "Mish": ("Mish", (), {}),
    "Hardsigmoid": ("Hardsigmoid", (), {}),
    "Hardswish": ("Hardswish", (), {}),
    "SELU": ("SELU", (), {}),
    "ELU": ("ELU", ("alpha",), {}),
    "CELU": ("CELU", ("alpha",), {}),
    "LeakyReLU": ("LeakyReLU", ("negative_slope",), {}),
    "Hardtanh": ("Hardtanh", ("min_val", "max_val"), {"min_val": "min", "max_val": "max"}),
    "RReLU": ("RReLU", (), {}),
    "GELU": ("GELU", (), {}),
    "Sigmoid": ("Sigmoid", (), {}),
    "Tanh": ("Tanh", (), {}),
    "Softplus": ("Softplus", (), {}),
    "Softsign": ("Softsign", (), {}),
    "Tanhshrink": ("Tanhshrink", (), {}),
    "Hardshrink": ("Hardshrink", ("lambd",), {"lambd": "threshold"}),
    "Softshrink": ("Softshrink", ("lambd",), {"lambd": "threshold"}),
    "LogSigmoid": ("LogSigmoid", (), {}),
    "GLU": ("GLU", (), {"dim": "axis"}),
}


# Layers of torch's that take `inplace`; a program's own functions may pass it on.
_INPLACE_LAYERS = frozenset(
    {"ReLU", "ReLU6", "SiLU", "Mish", "Hardsigmoid", "Hardswish", "SELU", "ELU", "CELU"}
    | {"LeakyReLU", "Hardtanh", "RReLU", "Threshold", "Dropout", "Dropout1d", "Dropout2d"}
    | {"Dropout3d", "AlphaDropout", "FeatureAlphaDropout"}
)


def _passed_with_inplace(program: Program, name: str) -> bool:
    """Return whether a class is passed on that other code may call with `inplace`."""
    if name not in _INPLACE_LAYERS or not program.is_passed_on(name):
        return False
    return bool(_asking_in_place(program)) or "inplace" in program.traits.strings


def _may_meet_zero(program: Program) -> bool:
    """Return whether activations may get exact zeros: convolutions without a bias at zeros."""
    return program.traits.zeros_biases and program.calls(*_CONVOLUTIONS)


def _layer(name: str, own: str, members: tuple[str, ...], renamed: dict[str, str]) -> None:
    native = f"paddle.nn.{own}"

    def value(program: Program) -> str | None:
        plain = underived(program, name) and not program.reads("inplace", *members)
        plain = plain and not (name in _SLOPED and _may_meet_zero(program))
        return native if plain and not _passed_with_inplace(program, name) else None

    @forms.form(f"torch.nn.{name}", value=value, value_differs=_OTHER.get(name.lower(), ()))
    def layer(match: Match) -> Outcome | None:
        through = match.use.kind is UseKind.INDIRECT and match.given("inplace")
        if value(match.program) is None or not (through or unseen(match)):
            return None
        text = written(match, native, renamed=renamed, without=("inplace",))
        differs = _SLOPES if name == "RReLU" else _OTHER.get(name.lower(), ())
        return Rewrite(
            text,
            consumed=frozenset({"inplace"}),
            differs=differs,
            caveat=_KEPT if through else None,
        )


for _name, (_own, _members, _renamed) in _LAYERS.items():
    _layer(_name, _own, _members, _renamed)

# Functions that may work in place, with Paddle's names of arguments.
_FUNCTIONS: dict[str, tuple[str, dict[str, str]]] = {
    "relu": ("relu", {}),
    "relu6": ("relu6", {}),
    "silu": ("silu", {}),
    "mish": ("mish", {}),
    "hardsigmoid": ("hardsigmoid", {}),
    "hardswish": ("hardswish", {}),
    "selu": ("selu", {}),
    "elu": ("elu", {}),
    "celu": ("celu", {}),
    "leaky_relu": ("leaky_relu", {}),
    "hardtanh": ("hardtanh", {"min_val": "min", "max_val": "max"}),
    "gelu": ("gelu", {}),
    "sigmoid": ("sigmoid", {}),
    "tanh": ("tanh", {}),
    "softsign": ("softsign", {}),
    "tanhshrink": ("tanhshrink", {}),
    "hardshrink": ("hardshrink", {"lambd": "threshold"}),
    "softshrink": ("softshrink", {"lambd": "threshold"}),
    "softplus": ("softplus", {}),
    "logsigmoid": ("log_sigmoid", {}),
    "glu": ("glu", {"dim": "axis"}),
}


# Those of them that take `inplace`.
_IN_PLACE = frozenset(_FUNCTIONS) - {
    *("gelu", "sigmoid", "tanh", "softsign", "tanhshrink", "hardshrink", "softshrink"),
    *("softplus", "logsigmoid", "glu"),
}
# Other functions that take it by their own names.
_DROPPING = frozenset({"partial", "dropout", "alpha_dropout", "threshold", "rrelu"})


def _asked_in_place(program: Program) -> bool:
    """Return whether a function held by a variable, dictionary or parameter works in place."""
    return not all(name[:1].isupper() for name in _asking_in_place(program))


def _asking_in_place(program: Program) -> frozenset[str]:
    """Return what is called with `inplace` and is none of torch's own layers and functions."""
    return program.traits.in_place - _INPLACE_LAYERS - _IN_PLACE - _DROPPING


def _function(name: str, own: str, renamed: dict[str, str]) -> None:
    native = f"paddle.nn.functional.{own}"

    def value(program: Program) -> str | None:
        if name in _SLOPED and _may_meet_zero(program):
            return None
        able = name in _IN_PLACE and _asked_in_place(program)
        return f"torch_able_in_place({native})" if able else native

    @forms.form(f"torch.nn.functional.{name}", value=value, value_differs=_OTHER.get(name, ()))
    def function(match: Match) -> Outcome | None:
        if not floats(match, "input") or match.given("out"):
            return None
        if flag(match, "inplace", False) is not False:
            return None
        if name in _SLOPED and _may_meet_zero(match.program):
            return None
        text = written(match, native, renamed={"input": "x", **renamed}, without=("inplace",))
        differs = _OTHER.get(name, ())
        return Rewrite(text, consumed=frozenset({"inplace"}), differs=differs)


for _name, (_own, _renamed) in _FUNCTIONS.items():
    _function(_name, _own, _renamed)


for _name in ("lower", "upper"):
    forms.row(f"torch.nn.RReLU.{_name}", to=f"{{self}}._{_name}")


@forms.form("torch.nn.PReLU")
def prelu_layer(match: Match) -> Outcome | None:
    """torch.nn.PReLU(num_parameters=1, init=0.25, device=None, dtype=None).

    Paddle's backward pass ends the process if the input requires no gradient.
    """
    if not native(match, "num_parameters", "reset_parameters", "weight"):
        return None
    if match.program.freezes or not takes_new_input(match):
        return None
    text = written(match, "paddle.nn.PReLU", without=("device", "dtype"))
    saved = (Difference.SAVED_STATE,) if match.program.calls("state_dict") else ()
    return Rewrite(text, differs=saved)


forms.row(
    "torch.nn.functional.prelu",
    to="paddle.nn.functional.prelu({input}, {weight})",
    when=lambda match: floats(match, "input", "weight") and _is_trained(match),
)


def _is_trained(match: Match) -> bool:
    """Return whether the input is known to require gradients, or comes from trained weights."""
    value = match.value("input")
    if isinstance(value, Tensor) and value.recorded:
        return True
    return isinstance(match.arguments["input"].node, ast.Call) and not match.program.freezes


# Along one dimension ---------------------------------------------------------------------------


@forms.form(
    "torch.nn.functional.softmax", value="paddle.nn.functional.softmax", value_differs=_SOFTMAX
)
def softmax(match: Match) -> Outcome | None:
    """Write the softmax; without `dim`, torch chooses one by the number of dimensions."""
    if not match.given("dim") or not floats(match, "input") or match.given("out"):
        return None
    renamed = {"input": "x", "dim": "axis" if older(match) else "dim"}
    text = written(match, "paddle.nn.functional.softmax", renamed=renamed, without=("_stacklevel",))
    return Rewrite(text, consumed=frozenset({"_stacklevel"}), differs=_SOFTMAX)


@forms.form("torch.Tensor.softmax")
def softmax_method(match: Match) -> Outcome | None:
    """Keep the same method for floating tensors."""
    if not match.given("dim") or match.given("dtype") or not _float_receiver(match):
        return None
    if "axis" in match.use.keywords:
        return Rewrite("{self}.softmax({dim})", differs=_SOFTMAX)
    return Keep(differs=_SOFTMAX)


@forms.form(
    "torch.nn.functional.log_softmax",
    value="paddle.nn.functional.log_softmax",
    value_differs=_LOG_SOFTMAX,
)
def log_softmax(match: Match) -> Outcome | None:
    """Write Paddle's function, which stops at 64 below the largest score."""
    if not match.given("dim") or not floats(match, "input") or match.given("out"):
        return None
    renamed = {"input": "x", "dim": "axis"}
    text = written(
        match, "paddle.nn.functional.log_softmax", renamed=renamed, without=("_stacklevel",)
    )
    return Rewrite(text, consumed=frozenset({"_stacklevel"}), differs=_LOG_SOFTMAX)


@forms.form("torch.log_softmax", "torch.Tensor.log_softmax")
def log_softmax_of(match: Match) -> Outcome | None:
    """Write the function of tensors, and their method."""
    method = match.use.receiver is not None
    if not match.given("dim") or match.given("dtype", "out"):
        return None
    if not floats(match, "input") or not _float_receiver(match):
        return None
    text = f"paddle.nn.functional.log_softmax({{{'self' if method else 'input'}}}, axis={{dim}})"
    return Rewrite(text, consumed=frozenset({"dtype", "out"}), differs=_LOG_SOFTMAX)


@forms.form(
    "torch.relu",
    "torch.Tensor.relu",
    value="paddle.nn.functional.relu",
    value_differs=_OTHER["relu"],
)
def relu_of(match: Match) -> Outcome | None:
    """Write the function of tensors, and their method."""
    method = match.use.receiver is not None
    if not floats(match, "input") or not _float_receiver(match):
        return None
    text = f"paddle.nn.functional.relu({{{'self' if method else 'input'}}})"
    return Rewrite(text, differs=_OTHER["relu"])


def _float_receiver(match: Match) -> bool:
    """Return whether nothing is known against a method's own tensor being one of floats."""
    mine = match.use.receiver_value
    return not isinstance(mine, Tensor) or mine.dtype in {None, "floating", "float32", "float64"}


@forms.form("torch.nn.Softmax", "torch.nn.LogSoftmax", value=None)
def softmax_layer(match: Match) -> Outcome | None:
    """torch.nn.Softmax(dim=None)."""
    name = match.use.name.rpartition(".")[2]
    if not native(match) or not match.given("dim"):
        return None
    text = written(match, f"paddle.nn.{name}", renamed={"dim": "axis"})
    return Rewrite(text, differs=_LOG_SOFTMAX if name == "LogSoftmax" else _SOFTMAX)
