"""`layer.forward(...)` and `Class.__init__(self, ...)`, as explicit calls of every layer."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.rules.rule import RuleSet
from workbench.source.types.lattice import of_whole
from workbench.source.uses import UseKind
from workbench.upstream.facts import load
from workbench.words import words

rules = RuleSet()

_LAYERS = list(
    words(
        "ReLU ReLU6 Sigmoid Tanh Softsign Tanhshrink LogSigmoid Softplus GELU SiLU Mish ELU CELU "
        "SELU LeakyReLU Hardtanh Hardsigmoid Hardswish Hardshrink Softshrink Threshold GLU "
        "Softmax LogSoftmax Softmin PReLU Linear Identity LayerNorm RMSNorm Dropout AlphaDropout "
        "Unflatten RReLU RNN LSTM GRU RNNCell LSTMCell GRUCell Conv1d ConvTranspose1d MaxPool1d "
        "AvgPool1d LPPool1d AdaptiveAvgPool1d AdaptiveMaxPool1d Dropout1d TransformerEncoderLayer "
        "Conv2d ConvTranspose2d MaxPool2d AvgPool2d LPPool2d AdaptiveAvgPool2d AdaptiveMaxPool2d "
        "Dropout2d Flatten GroupNorm LocalResponseNorm Softmax2d PixelUnshuffle ChannelShuffle "
        "Unfold Upsample FeatureAlphaDropout Conv3d ConvTranspose3d MaxPool3d AvgPool3d LPPool3d "
        "AdaptiveAvgPool3d AdaptiveMaxPool3d Dropout3d PixelShuffle Fold Embedding EmbeddingBag "
        "Bilinear PairwiseDistance CosineSimilarity MSELoss L1Loss SmoothL1Loss HuberLoss "
        "PoissonNLLLoss BCEWithLogitsLoss KLDivLoss BCELoss CrossEntropyLoss MultiMarginLoss "
        "NLLLoss SoftMarginLoss HingeEmbeddingLoss MultiLabelSoftMarginLoss MultiLabelMarginLoss "
        "GaussianNLLLoss TripletMarginLoss TripletMarginWithDistanceLoss MarginRankingLoss "
        "CosineEmbeddingLoss CTCLoss MultiheadAttention TransformerDecoderLayer Transformer"
    )
)

# Layers with a helper, whose constructor has torch's parameters.
_OWN_CONSTRUCTOR = set(
    words(
        "Linear Bilinear LayerNorm RMSNorm GroupNorm LocalResponseNorm Embedding EmbeddingBag "
        "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d RNN LSTM GRU "
        "RNNCell LSTMCell GRUCell MultiheadAttention TransformerEncoderLayer "
        "TransformerDecoderLayer Transformer PReLU PixelShuffle PixelUnshuffle ChannelShuffle "
        "Unfold Fold Upsample PairwiseDistance CosineSimilarity CELU Hardshrink Softshrink "
        "Threshold RReLU AvgPool1d AvgPool2d AvgPool3d TripletMarginWithDistanceLoss "
        "GaussianNLLLoss HuberLoss CTCLoss"
    )
)

# Paddle's own layers whose `forward` has other names for input and target.
_ACTIVATIONS = set(words("Sigmoid Tanh Softsign Tanhshrink LogSigmoid Softplus GELU GLU Softmax"))
_RENAMED = dict.fromkeys(_ACTIVATIONS, ("input",)) | dict.fromkeys(
    ("MSELoss", "L1Loss"), ("input", "target")
)


def _renamed(layer: str) -> None:
    """Add the rule for `forward` of such a layer, called directly or through the layer."""
    names = _RENAMED[layer]
    arguments = ", ".join(f"{{{name}}}" for name in names)

    @rules.rule(f"torch.nn.{layer}.forward")
    def forward(match: Match) -> Outcome:
        call = match.use.call
        owner = "" if match.use.kind is UseKind.LAYER else "{self}."
        if any(of_whole(match.value(name)) for name in names if name in match):
            cast = "*torch_floats" if len(names) > 1 else "torch_inexact"
            return Rewrite(f"{owner}forward({cast}({arguments}))")
        if call is None or not call.keywords:
            return Keep()
        return Rewrite(f"{owner}forward({arguments})")


for _name in _LAYERS:
    _entry = load().get(f"torch.nn.{_name}.forward")
    if _name in _RENAMED:
        _renamed(_name)
    elif _entry is not None and _entry.alias_of is None:
        rules.keep(f"torch.nn.{_name}.forward")
    _entry = load().get(f"torch.nn.{_name}.__init__")
    if _name in _OWN_CONSTRUCTOR and _entry is not None and _entry.alias_of is None:
        rules.row(f"torch.nn.{_name}.__init__", f"Torch{_name}.__init__(...)")
rules.row("torch.nn.Sequential.__init__", "paddle.nn.Sequential.__init__(...)")
rules.keep("torch.nn.modules.batchnorm._BatchNorm.forward")
rules.keep("torch.nn.modules.instancenorm._InstanceNorm.forward")
for _kind in ("Constant", "Reflection", "Replication", "Circular"):
    rules.keep(f"torch.nn.modules.padding._{_kind}PadNd.forward")
for _dims in (1, 2, 3):
    rules.keep(f"torch.nn.MaxUnpool{_dims}d.forward")
rules.keep("torch.nn.TransformerEncoder.forward")
rules.keep("torch.nn.TransformerDecoder.forward")
