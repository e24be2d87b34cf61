"""Calls of layers: Paddle's own have other names for their inputs, and fewer dtypes."""

from __future__ import annotations

import re

from workbench.rules.difference import Differs, unless
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.source.types import dtypes
from workbench.source.types.lattice import Tensor
from workbench.source.uses import UseKind
from workbench.targets.paddle.common.writing import class_of_receiver, is_sample
from workbench.upstream.facts import load
from workbench.words import words

forms = FormSet()

_LAYERS = words(
    "ReLU ReLU6 SiLU Mish ELU CELU SELU LeakyReLU Hardtanh Softsign Tanhshrink "
    "Hardsigmoid Hardswish Hardshrink Softshrink LogSoftmax PReLU Linear Identity "
    "LayerNorm GroupNorm Dropout Dropout2d Dropout3d AlphaDropout Flatten "
    "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d "
    "MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d "
    "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d "
    "AdaptiveMaxPool2d AdaptiveMaxPool3d PixelShuffle PixelUnshuffle ChannelShuffle Unfold "
    "Fold Upsample Embedding RNN LSTM GRU modules.batchnorm._BatchNorm "
    "modules.instancenorm._InstanceNorm modules.padding._ReflectionPadNd "
    "modules.padding._ReplicationPadNd modules.padding._CircularPadNd CosineSimilarity "
    "SmoothL1Loss HuberLoss "
    "PoissonNLLLoss BCEWithLogitsLoss KLDivLoss BCELoss CrossEntropyLoss NLLLoss "
    "SoftMarginLoss HingeEmbeddingLoss TripletMarginLoss MarginRankingLoss "
    "CosineEmbeddingLoss"
)
_NAMES = [f"torch.nn.{name}.forward" for name in _LAYERS]
# Layers that accept whole numbers in torch.
_FLOATS_ONLY = frozenset(
    f"torch.nn.{name}.forward"
    for name in words(
        "ReLU ReLU6 Hardtanh Softsign Tanhshrink MaxPool1d MaxPool2d MaxPool3d AvgPool1d "
        "AvgPool2d AvgPool3d PixelShuffle PixelUnshuffle ChannelShuffle Dropout Dropout2d "
        "Dropout3d"
    )
)
_WHOLE = unless("this layer of {target} raises an error for whole numbers: cast them to floats")


@forms.form(*(name for name in _NAMES if (entry := load().get(name)) and not entry.alias_of))
def called(match: Match) -> Outcome | None:
    """Write `criterion(input=x, target=y)` by position, which is the same in both."""
    call = match.use.call
    differs = _of_whole(match)
    if (dims := _dims_of_batches(match)) is not None and is_sample(match, dims):
        axis = ", -1" if class_of_receiver(match) == "Dropout2d" else ""
        return Rewrite(f"torch_on_sample({{self}}, {{input}}, {dims}{axis})", differs=differs)
    if (cast := _cast(match)) is not None:
        return cast
    if call is None or not call.keywords:
        return Keep(differs=differs)
    places = [parameter.name for parameter in match.signature.parameters]
    given = [name for name in places if name in match]
    if given != places[: len(given)]:
        return None
    owner = "" if match.use.kind is UseKind.LAYER else "{self}."
    text = f"{owner}forward({', '.join(f'{{{name}}}' for name in given)})"
    return Rewrite(text, differs=differs)


# Layers and losses that compute floats from whole numbers; Paddle's take floats of one dtype.
_INEXACT = frozenset({"Softsign", "Tanhshrink", "SmoothL1Loss", "HuberLoss", "PoissonNLLLoss"})


def _cast(match: Match) -> Outcome | None:
    """Return the call with whole numbers cast to floats, if the dtypes are known, else None."""
    given = [name for name in match.arguments if isinstance(match.value(name), Tensor)]
    kinds = {name: match.value(name).dtype for name in given}  # type: ignore[attr-defined]
    whole = [name for name in given if dtypes.kind(kinds[name]) in {0, 1}]
    others = {kinds[name] for name in given} - {kinds[name] for name in whole}
    if not whole or len(given) < len(match.arguments) or match.use.kind is not UseKind.LAYER:
        return None
    if class_of_receiver(match) not in _INEXACT or not others <= {"float32", "floating"}:
        return None
    cast = dict.fromkeys(whole, '.astype("float32")')
    written = ", ".join(f"{{{name}}}{cast.get(name, '')}" for name in given)
    return Rewrite(f"forward({written})")


# Layers whose Paddle's own take batches only.
_OF_BATCHES = re.compile(
    r"(Conv|ConvTranspose|MaxPool|AvgPool|AdaptiveAvgPool|AdaptiveMaxPool"
    r"|ReflectionPad|ReplicationPad|CircularPad)(?P<any>[123])d"
    r"|(InstanceNorm|Dropout)(?P<most>[23])d"
)
_DIMS = {"Unfold": 4, "Fold": 3, "PixelShuffle": 4, "PixelUnshuffle": 4, "ChannelShuffle": 4}


def _dims_of_batches(match: Match) -> int | None:
    """Return the number of dimensions of a layer's batches, or None if it takes samples too."""
    if match.use.kind is not UseKind.LAYER or set(match.arguments) != {"input"}:
        return None
    if "return_indices" in match.program.traits.keywords:
        return None  # the rule's layer, which returns two tensors, takes samples
    name = class_of_receiver(match) or ""
    found = _OF_BATCHES.fullmatch(name)
    return 2 + int(found["any"] or found["most"]) if found else _DIMS.get(name)


def _of_whole(match: Match) -> Differs:
    """Return a difference if a layer gets a tensor of whole numbers that it does not accept."""
    if match.use.name not in _FLOATS_ONLY:
        return ()
    value = match.value("input")
    dtype = value.dtype if isinstance(value, Tensor) else None
    return _WHOLE if dtype and dtype.startswith(("int", "uint", "bool")) else ()
