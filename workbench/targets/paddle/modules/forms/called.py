"""Calls of layers by keyword; Paddle's own layers have other names for their inputs."""

from __future__ import annotations

from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.source.uses import UseKind
from workbench.upstream.facts import load
from workbench.words import words

forms = FormSet()

_LAYERS = words(
    "ReLU SiLU Mish ELU CELU SELU LeakyReLU Hardtanh Hardsigmoid Hardswish Hardshrink "
    "Softshrink LogSoftmax PReLU Linear Identity LayerNorm GroupNorm Dropout Dropout2d "
    "Dropout3d AlphaDropout Flatten Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d "
    "ConvTranspose3d MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d "
    "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d "
    "AdaptiveMaxPool2d AdaptiveMaxPool3d PixelShuffle PixelUnshuffle ChannelShuffle Unfold "
    "Fold Upsample Embedding RNN LSTM GRU modules.batchnorm._BatchNorm "
    "modules.instancenorm._InstanceNorm CosineSimilarity SmoothL1Loss HuberLoss "
    "PoissonNLLLoss BCEWithLogitsLoss KLDivLoss BCELoss CrossEntropyLoss NLLLoss "
    "SoftMarginLoss HingeEmbeddingLoss TripletMarginLoss MarginRankingLoss "
    "CosineEmbeddingLoss"
)
_NAMES = [f"torch.nn.{name}.forward" for name in _LAYERS]


@forms.form(*(name for name in _NAMES if (entry := load().get(name)) and not entry.alias_of))
def called(match: Match) -> Outcome | None:
    """Write `criterion(input=x, target=y)` by position, which is the same in both."""
    call = match.use.call
    if call is None or not call.keywords:
        return Keep()
    places = [parameter.name for parameter in match.signature.parameters]
    given = [name for name in places if name in match]
    if given != places[: len(given)]:
        return None
    owner = "" if match.use.kind is UseKind.LAYER else "{self}."
    return Rewrite(f"{owner}forward({', '.join(f'{{{name}}}' for name in given)})")
