"""Older networks of torchvision, without the weights that it downloads."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.targets.paddle.common.vision import networks
from workbench.words import words

rules = RuleSet()

_M = "torchvision.models"
_VGG = {"11": [1, 1, 2, 2, 2], "13": [2] * 5, "16": [2, 2, 3, 3, 3], "19": [2, 2, 4, 4, 4]}
# By name: the call of the helper, and its other arguments.
_NETWORKS: dict[str, tuple[str, tuple[str, ...]]] = {
    "alexnet": ("TorchAlexNet({})", ("num_classes", "dropout")),
    "mobilenet_v2": (
        "TorchMobileNetV2({})",
        words(
            "num_classes width_mult inverted_residual_setting round_nearest block norm_layer "
            "dropout"
        ),
    ),
    **{
        f"squeezenet{version}": (f"TorchSqueezeNet({version!r}, {{}})", ("num_classes", "dropout"))
        for version in ("1_0", "1_1")
    },
    **{
        f"vgg{size}{'_bn' if norm else ''}": (
            f"torch_vgg({counts}, {norm}, {{}})",
            ("num_classes", "init_weights", "dropout"),
        )
        for size, counts in _VGG.items()
        for norm in (False, True)
    },
    **{
        name: (
            f"TorchDenseNet({growth}, {blocks}, {width}, {{}})",
            ("bn_size", "drop_rate", "num_classes"),
        )
        for name, growth, blocks, width in (
            ("densenet121", 32, (6, 12, 24, 16), 64),
            ("densenet161", 48, (6, 12, 36, 24), 96),
            ("densenet169", 32, (6, 12, 32, 32), 64),
            ("densenet201", 32, (6, 12, 48, 32), 64),
        )
    },
}

networks(rules, _NETWORKS)

_CLASSES = ("SqueezeNet", "MobileNetV2", "DenseNet", "AlexNet", "VGG")
for _name in _CLASSES:
    rules.counterpart(f"{_M}.{_name}", f"Torch{_name}")
