"""Small networks of torchvision, and Inception, without the weights that it downloads."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.targets.paddle.common.vision import networks

rules = RuleSet()

_M = "torchvision.models"
_WIDTHS = {
    "x0_5": [24, 48, 96, 192, 1024],
    "x1_0": [24, 116, 232, 464, 1024],
    "x1_5": [24, 176, 352, 704, 1024],
    "x2_0": [24, 244, 488, 976, 2048],
}
_INCEPTION = ("num_classes", "aux_logits", "transform_input", "init_weights", "dropout")
# By name: the call of the helper, and its other arguments.
_NETWORKS: dict[str, tuple[str, tuple[str, ...]]] = {
    **{
        f"shufflenet_v2_{size}": (
            f"TorchShuffleNetV2([4, 8, 4], {widths}, {{}})",
            ("num_classes",),
        )
        for size, widths in _WIDTHS.items()
    },
    **{
        f"mobilenet_v3_{size}": (
            f"torch_mobilenet_v3({size == 'large'}, {{}})",
            ("num_classes", "dropout"),
        )
        for size in ("large", "small")
    },
    "inception_v3": ("TorchInception3({})", _INCEPTION),
    "googlenet": ("TorchGoogLeNet({})", (*_INCEPTION, "dropout_aux")),
}

networks(rules, _NETWORKS)

_I = f"{_M}.inception"
_CLASSES = (
    f"{_M}.ShuffleNetV2",
    f"{_I}.InceptionA",
    f"{_I}.InceptionB",
    f"{_I}.InceptionC",
    f"{_I}.InceptionD",
    f"{_I}.InceptionE",
    f"{_I}.BasicConv2d",
    f"{_I}.InceptionAux",
)
for _name in _CLASSES:
    _short = _name.rpartition(".")[2]
    rules.counterpart(_name, f"Torch{_short}")
for _short in ("Inception3", "GoogLeNet"):
    _options = _NETWORKS["googlenet" if _short == "GoogLeNet" else "inception_v3"][1]
    rules.row(
        f"{_M}.{_short}",
        f"Torch{_short}({', '.join(f'{option}={{{option}}}' for option in _options)})",
        value=f"Torch{_short}",
    )
