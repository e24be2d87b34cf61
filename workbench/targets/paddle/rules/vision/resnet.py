"""Residual networks of torchvision, without the weights that it downloads."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome
from workbench.rules.rule import RuleSet
from workbench.targets.paddle.vision import NOT_DOWNLOADED, handed_on, network
from workbench.upstream.cases.networks import FILLED, otherwise_called

rules = RuleSet()

_M = "torchvision.models"
# The block, how many of them, and what else is fixed.
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
_OPTIONS = (
    "num_classes",
    "zero_init_residual",
    "groups",
    "width_per_group",
    "replace_stride_with_dilation",
    "norm_layer",
)
_SIGNATURE = (
    "(weights=None, progress: bool=True, *, pretrained=False, num_classes: int=1000, "
    "zero_init_residual: bool=False, groups: int=1, width_per_group: int=64, "
    "replace_stride_with_dilation=None, norm_layer=None)"
    " -> torchvision.models.ResNet"
)
_USED = "n = filled({})\nr = n(img.repeat(1, 1, 4, 4))\nk = sorted(n.state_dict())"
# Of the largest, whose blocks are those of the others, the layers alone are compared.
_LARGE = (
    "from torchvision import models\nn = {}\n"
    "k = [(name, list(each.shape)) for name, each in sorted(n.state_dict().items())]"
)


def _call(name: str) -> str:
    block, layers, fixed = _NETWORKS[name]
    return f"TorchResNet({', '.join(filter(None, (block, str(layers), fixed)))}, {{}})"


def _network(match: Match) -> Outcome:
    name = match.use.name.rpartition(".")[2]
    own = {part.partition("=")[0] for part in _NETWORKS[name][2].split(", ")}
    return network(match, _call(name), [option for option in _OPTIONS if option not in own])


def _chosen(name: str) -> list[str]:
    """A case of weights that are asked for under a condition."""
    if name != "resnet18":
        return []
    return [
        f"from torchvision import models\ndef f(pretrained):\n    return models.{name}("
        "weights=models.ResNet18_Weights.DEFAULT if pretrained else None, num_classes=2)\n"
        "r = f(False).fc.out_features"
    ]


for _name in _NETWORKS:
    _made = f"models.{_name}(weights=None, num_classes=5)"
    _cases = [
        _LARGE.format(_made)
        if ("101" in _name or "152" in _name)
        else f"{FILLED}{_USED.format(_made)}"
    ]
    if _name == "resnet18":
        _cases += [
            f"{FILLED}"
            + _USED.format("torchvision.models.resnet18(pretrained=False, progress=False)"),
            f"{FILLED}n = models.resnet18(zero_init_residual=True)\nr = n.layer1[0].bn2.weight",
            f"{FILLED}n = models.resnet18()\nn.fc = nn.Linear(512, 3)\n"
            "n = filled(n)\nr = n(img.repeat(1, 1, 4, 4))",
        ]
    if _name == "resnet50":
        _dilated = "models.resnet50(replace_stride_with_dilation=[False, True, True])"
        _cases += [
            f"{FILLED}{_USED.format(_dilated)}",
            f"{FILLED}n = models.resnet50(norm_layer=lambda c: nn.GroupNorm(4, c))\n"
            f"{_USED.format('n')}",
        ]
    rules.rule(
        f"{_M}.{_name}",
        signature=_SIGNATURE,
        value=handed_on(_call(_name)),
        unpacked=f"{handed_on(_call(_name))}(...)",
        note=NOT_DOWNLOADED,
        cases=[*_cases, *otherwise_called(_name, _name == "resnet18"), *_chosen(_name)],
    )(_network)

rules.row(
    f"{_M}.ResNet",
    "TorchResNet(...)",
    value="TorchResNet",
    cases=[
        f"{FILLED}from torchvision.models.resnet import BasicBlock, Bottleneck\n"
        f"{_USED.format('models.ResNet(BasicBlock, [1, 1, 1, 1], num_classes=3)')}",
        f"{FILLED}class Net(models.ResNet):\n    def __init__(self):\n"
        "        super().__init__(models.resnet.Bottleneck, [1, 1, 1, 1])\n"
        f"{_USED.format('Net()')}",
    ],
)
for _block, _planes in (("BasicBlock", 64), ("Bottleneck", 16)):
    rules.row(
        f"{_M}.resnet.{_block}",
        f"Torch{_block}(...)",
        value=f"Torch{_block}",
        cases=[
            f"{FILLED}n = filled(models.resnet.{_block}(64, {_planes}))\n"
            "r = n(torch.ones(1, 64, 3, 3)), n.expansion, sorted(n.state_dict())",
            f"{FILLED}models.resnet.{_block}(64, {_planes}, stride=2, dilation=2).stride",
        ],
    )
