"""Residual networks of torchvision, without the weights that it downloads."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome
from workbench.rules.rule import RuleSet
from workbench.targets.paddle.common.vision import NOT_DOWNLOADED, network, passed_network
from workbench.words import words

rules = RuleSet()

_M = "torchvision.models"
# The block, the numbers of blocks, and other fixed arguments.
_NETWORKS = {
    "resnet18": ("TorchBasicBlock", [2, 2, 2, 2], ""),
    "resnet34": ("TorchBasicBlock", [3, 4, 6, 3], ""),
    "resnet50": ("TorchBottleneck", [3, 4, 6, 3], ""),
    "resnet101": ("TorchBottleneck", [3, 4, 23, 3], ""),
    "resnet152": ("TorchBottleneck", [3, 8, 36, 3], ""),
    "resnext50_32x4d": ("TorchBottleneck", [3, 4, 6, 3], "groups=32, width_per_group=4"),
    "resnext101_32x8d": ("TorchBottleneck", [3, 4, 23, 3], "groups=32, width_per_group=8"),
    "resnext101_64x4d": ("TorchBottleneck", [3, 4, 23, 3], "groups=64, width_per_group=4"),
    "wide_resnet50_2": ("TorchBottleneck", [3, 4, 6, 3], "width_per_group=128"),
    "wide_resnet101_2": ("TorchBottleneck", [3, 4, 23, 3], "width_per_group=128"),
}
_OPTIONS = words(
    "num_classes zero_init_residual groups width_per_group replace_stride_with_dilation norm_layer"
)


def _call(name: str) -> str:
    block, layers, fixed = _NETWORKS[name]
    return f"TorchResNet({', '.join(filter(None, (block, str(layers), fixed)))}, {{}})"


def _network(match: Match) -> Outcome:
    name = match.use.name.rpartition(".")[2]
    own = {part.partition("=")[0] for part in _NETWORKS[name][2].split(", ")}
    return network(match, _call(name), [option for option in _OPTIONS if option not in own])


for _name in _NETWORKS:
    rules.rule(
        f"{_M}.{_name}",
        value=passed_network(_call(_name)),
        unpacked=f"{passed_network(_call(_name))}(...)",
        note=NOT_DOWNLOADED,
    )(_network)

rules.counterpart(f"{_M}.ResNet", "TorchResNet")
for _block in ("BasicBlock", "Bottleneck"):
    rules.counterpart(f"{_M}.resnet.{_block}", f"Torch{_block}")
