"""Calls of layers: Paddle's own have other names for their inputs, and fewer dtypes."""

from __future__ import annotations

from workbench.rules.difference import Differs, unless
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.source.types.lattice import Tensor
from workbench.source.uses import UseKind
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
    "modules.instancenorm._InstanceNorm CosineSimilarity SmoothL1Loss HuberLoss "
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
    if call is None or not call.keywords:
        return Keep(differs=differs)
    places = [parameter.name for parameter in match.signature.parameters]
    given = [name for name in places if name in match]
    if given != places[: len(given)]:
        return None
    owner = "" if match.use.kind is UseKind.LAYER else "{self}."
    text = f"{owner}forward({', '.join(f'{{{name}}}' for name in given)})"
    return Rewrite(text, differs=differs)


def _of_whole(match: Match) -> Differs:
    """Return a difference if a layer gets a tensor of whole numbers that it does not accept."""
    if match.use.name not in _FLOATS_ONLY:
        return ()
    value = match.value("input")
    dtype = value.dtype if isinstance(value, Tensor) else None
    return _WHOLE if dtype and dtype.startswith(("int", "uint", "bool")) else ()
