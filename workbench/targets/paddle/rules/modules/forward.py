"""`layer.forward(...)` and `Class.__init__(self, ...)`, as explicit calls of every layer."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.rules.rule import RuleSet
from workbench.source.types.lattice import of_whole
from workbench.source.uses import UseKind
from workbench.upstream.cases.layers import SEED
from workbench.upstream.facts import load

rules = RuleSet()

# Layers by what they are called on.
_LAYERS = {
    "x": "ReLU(); ReLU6(); Sigmoid(); Tanh(); Softsign(); Tanhshrink(); LogSigmoid(); Softplus(); "
    "GELU(); SiLU(); Mish(); ELU(0.5); CELU(0.5); SELU(); LeakyReLU(0.2); Hardtanh(-0.5, 0.5); "
    "Hardsigmoid(); Hardswish(); Hardshrink(0.3); Softshrink(0.3); Threshold(0.1, 2.0); GLU(1); "
    "Softmax(1); LogSoftmax(1); Softmin(1); PReLU(); Linear(4, 3); Identity(); LayerNorm(4); "
    "RMSNorm(4); Dropout(0.0); AlphaDropout(0.0); Unflatten(1, (2, 2)); RReLU(0.2, 0.2); "
    "RNN(4, 3); LSTM(4, 3); GRU(4, 3); RNNCell(4, 3); LSTMCell(4, 3); GRUCell(4, 3)",
    "a": "Conv1d(3, 4, 2); ConvTranspose1d(3, 4, 2); MaxPool1d(2); AvgPool1d(2); LPPool1d(2, 2); "
    "AdaptiveAvgPool1d(2); AdaptiveMaxPool1d(2); Dropout1d(0.0); "
    "TransformerEncoderLayer(4, 2, 8, 0.0)",
    "img": "Conv2d(3, 4, 2); ConvTranspose2d(3, 4, 2); MaxPool2d(2); AvgPool2d(2); "
    "LPPool2d(2, 2); AdaptiveAvgPool2d(2); AdaptiveMaxPool2d(2); Dropout2d(0.0); Flatten(1); "
    "GroupNorm(3, 3); LocalResponseNorm(2); Softmax2d(); PixelUnshuffle(2); ChannelShuffle(3); "
    "Unfold(2); Upsample(None, 2.0); FeatureAlphaDropout(0.0)",
    "img[:, :, None]": "Conv3d(3, 4, 1); ConvTranspose3d(3, 4, 1); MaxPool3d((1, 2, 2)); "
    "AvgPool3d((1, 2, 2)); LPPool3d(2, (1, 2, 2)); AdaptiveAvgPool3d(1); AdaptiveMaxPool3d(1); "
    "Dropout3d(0.0)",
    "img.reshape(2, 12, 4, 4)": "PixelShuffle(2)",
    "img.reshape(2, 12, 16)": "Fold((8, 8), 2, 1, 0, 2)",
    "i": "Embedding(4, 3); EmbeddingBag(4, 3)",
    "x, y": "Bilinear(4, 4, 2); PairwiseDistance(1.0); CosineSimilarity(0); MSELoss(); L1Loss(); "
    "SmoothL1Loss(); HuberLoss(); PoissonNLLLoss()",
    "x, p": "BCEWithLogitsLoss(); KLDivLoss()",
    "p, m.float()": "BCELoss()",
    "x, n": "CrossEntropyLoss(); MultiMarginLoss()",
    "x.log_softmax(1), n": "NLLLoss()",
    "x, m.float() * 2 - 1": "SoftMarginLoss(); HingeEmbeddingLoss(0.5)",
    "x, m.float()": "MultiLabelSoftMarginLoss()",
    "x, i * 0 - 1": "MultiLabelMarginLoss()",
    "x, y, p": "GaussianNLLLoss(); TripletMarginLoss(2.0); TripletMarginWithDistanceLoss()",
    "x, y, m.float() * 2 - 1": "MarginRankingLoss(0.5)",
    "x, y, m[:, 0].float() * 2 - 1": "CosineEmbeddingLoss(0.5)",
    "torch.tensor(np.cos(np.arange(60.0)).reshape(5, 3, 4).astype('float32')).log_softmax(2), "
    "torch.tensor([[1, 2], [3, 3], [2, 1]]), "
    "torch.tensor([5, 5, 4]), torch.tensor([2, 2, 1])": "CTCLoss()",
    "a, a, a": "MultiheadAttention(4, 2)",
    "a, a": "TransformerDecoderLayer(4, 2, 8, 0.0); Transformer(4, 2, 1, 1, 8, 0.0)",
}

# Layers whose constructor belongs to a helper, which has the parameters of torch's.
_OWN_CONSTRUCTOR = {
    "Linear",
    "Bilinear",
    "LayerNorm",
    "RMSNorm",
    "GroupNorm",
    "LocalResponseNorm",
    "Embedding",
    "EmbeddingBag",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "RNN",
    "LSTM",
    "GRU",
    "RNNCell",
    "LSTMCell",
    "GRUCell",
    "MultiheadAttention",
    "TransformerEncoderLayer",
    "TransformerDecoderLayer",
    "Transformer",
    "PReLU",
    "PixelShuffle",
    "PixelUnshuffle",
    "ChannelShuffle",
    "Unfold",
    "Fold",
    "Upsample",
    "PairwiseDistance",
    "CosineSimilarity",
    "CELU",
    "Hardshrink",
    "Softshrink",
    "Threshold",
    "RReLU",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "TripletMarginWithDistanceLoss",
    "GaussianNLLLoss",
    "HuberLoss",
    "CTCLoss",
}

# Paddle's own layers whose `forward` has other names for what torch calls input and target.
_ACTIVATIONS = {
    "Sigmoid",
    "Tanh",
    "Softsign",
    "Tanhshrink",
    "LogSigmoid",
    "Softplus",
    "GELU",
    "GLU",
    "Softmax",
}
_RENAMED = dict.fromkeys(_ACTIVATIONS, ("input",)) | dict.fromkeys(
    ("MSELoss", "L1Loss"), ("input", "target")
)


def _of_whole(layer: str, count: int) -> list[str]:
    """Cases with whole numbers and truth values, where torch takes them."""
    if count > 1:
        return [f"l = nn.{layer}\nl(x, i), l(i, target=y)"]
    if layer.startswith(("Sigmoid", "Tanh(")):
        return [f"l = nn.{layer}\nl(i), l(input=m), l.forward(m)"]
    return [f"nn.{layer}(i)"] if layer.startswith(("Softsign", "Tanhshrink")) else []


def _renamed(layer: str, given: str) -> None:
    """`forward` of such a layer, called by itself or by calling the layer."""
    names = _RENAMED[layer.partition("(")[0]]
    arguments = ", ".join(f"{{{name}}}" for name in names)
    turned = [f"{name}={value}" for name, value in zip(names, given.split(", "), strict=True)]
    keywords = ", ".join(reversed(turned))

    @rules.rule(
        f"torch.nn.{layer.partition('(')[0]}.forward",
        cases=[
            f"l = nn.{layer}\nl.forward({given}), l.forward({keywords}), l({keywords})",
            f"nn.{layer}({keywords})",
            *_of_whole(layer, len(names)),
            f"class _Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            f"        self.l = nn.{layer}\n    def forward(self, x, y):\n"
            f"        return self.l({keywords})\n_Net()(x, y)",
        ],
    )
    def forward(match: Match) -> Outcome:
        call = match.use.call
        owner = "" if match.use.kind is UseKind.LAYER else "{self}."
        if any(of_whole(match.value(name)) for name in names if name in match):
            cast = "*torch_floats" if len(names) > 1 else "torch_inexact"
            return Rewrite(f"{owner}forward({cast}({arguments}))")
        if call is None or not call.keywords:
            return Keep()
        return Rewrite(f"{owner}forward({arguments})")


for _given, _listed in _LAYERS.items():
    for _layer in _listed.split("; "):
        _name = _layer.partition("(")[0]
        _entry = load().get(f"torch.nn.{_name}.forward")
        if _name in _RENAMED:
            _renamed(_layer, _given)
        elif _entry is not None and _entry.alias_of is None:
            rules.keep(
                f"torch.nn.{_name}.forward",
                cases=[f"{SEED}l = _seed(nn.{_layer})\nl.forward({_given})"],
            )
        _entry = load().get(f"torch.nn.{_name}.__init__")
        if _name in _OWN_CONSTRUCTOR and _entry is not None and _entry.alias_of is None:
            _arguments = _layer.partition("(")[2][:-1]
            rules.row(
                f"torch.nn.{_name}.__init__",
                f"Torch{_name}.__init__(...)",
                signature="(self, *args, **kwargs)",
                cases=[
                    f"{SEED}class _Own(nn.{_name}):\n    def __init__(self):\n"
                    f"        nn.{_name}.__init__(self{', ' if _arguments else ''}{_arguments})\n"
                    f"l = _seed(_Own())\nl({_given})"
                ],
            )
for _name, _layer in (("Sequential", "nn.Sequential(nn.Identity())"),):
    rules.row(
        f"torch.nn.{_name}.__init__",
        f"paddle.nn.{_name}.__init__(...)",
        signature="(self, *args)",
        cases=[
            "class _Own(nn.Sequential):\n    def __init__(self):\n"
            "        nn.Sequential.__init__(self, nn.Identity())\n_Own()(x)"
        ],
    )
rules.keep(
    "torch.nn.modules.batchnorm._BatchNorm.forward", cases=["nn.BatchNorm2d(3).forward(img)"]
)
rules.keep(
    "torch.nn.modules.instancenorm._InstanceNorm.forward",
    cases=["nn.InstanceNorm2d(3).forward(img)"],
)
for _kind in ("Constant", "Reflection", "Replication", "Circular"):
    _value = ", 0.5" if _kind == "Constant" else ""
    rules.keep(
        f"torch.nn.modules.padding._{_kind}PadNd.forward",
        cases=[f"nn.{_kind}Pad2d(1{_value}).forward(img)"],
    )
for _dims, _given in ((1, "a"), (2, "img"), (3, "img[:, :, None].repeat(1, 1, 4, 1, 1)")):
    rules.keep(
        f"torch.nn.MaxUnpool{_dims}d.forward",
        cases=[
            f"v, k = F.max_pool{_dims}d({_given}, 2, return_indices=True)\n"
            f"nn.MaxUnpool{_dims}d(2).forward(v, k)"
        ],
    )
rules.keep(
    "torch.nn.TransformerEncoder.forward",
    cases=[
        f"{SEED}l = nn.TransformerEncoderLayer(4, 2, 8, 0.0)\n"
        "_seed(nn.TransformerEncoder(l, 1)).forward(a)",
    ],
)
rules.keep(
    "torch.nn.TransformerDecoder.forward",
    cases=[
        f"{SEED}l = nn.TransformerDecoderLayer(4, 2, 8, 0.0)\n"
        "_seed(nn.TransformerDecoder(l, 1)).forward(a, a)",
    ],
)
