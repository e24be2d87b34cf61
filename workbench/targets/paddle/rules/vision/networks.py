"""Older networks of torchvision, without the weights that it downloads."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome
from workbench.rules.rule import RuleSet
from workbench.targets.paddle.vision import NOT_DOWNLOADED, handed_on, network
from workbench.upstream.cases.networks import FILLED, otherwise_called

rules = RuleSet()

_M = "torchvision.models"
_VGG = {"11": [1, 1, 2, 2, 2], "13": [2] * 5, "16": [2, 2, 3, 3, 3], "19": [2, 2, 4, 4, 4]}
_GROWTH = "growth_rate={growth_rate}"
# By name: the call of the helper, and what it may be given beside.
_NETWORKS: dict[str, tuple[str, tuple[str, ...]]] = {
    "alexnet": ("TorchAlexNet({})", ("num_classes", "dropout")),
    "mobilenet_v2": (
        "TorchMobileNetV2({})",
        (
            "num_classes",
            "width_mult",
            "inverted_residual_setting",
            "round_nearest",
            "block",
            "norm_layer",
            "dropout",
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
_RETURNS = {"a": "AlexNet", "m": "MobileNetV2", "s": "SqueezeNet", "v": "VGG", "d": "DenseNet"}


def _network(match: Match) -> Outcome:
    call, options = _NETWORKS[match.use.name.rpartition(".")[2]]
    return network(match, call, options)


_SHAPES = (
    "k = [(name, list(each.shape)) for name, each in sorted(n.state_dict().items())]\ns = str(n)"
)
_USED = f"n = filled({{}})\nr = n(img.repeat(1, 1, 9, 9)[:1])\n{_SHAPES}"
# Of the large ones the layers alone are compared.
_LARGE = f"from torchvision import models\nn = {{}}\n{_SHAPES}"
_SMALL = ("alexnet", "mobilenet_v2", "squeezenet1_0", "squeezenet1_1", "densenet121")
for _name, (_call, _options) in _NETWORKS.items():
    _quick = ", init_weights=False" if _name == "vgg16_bn" else ""
    _made = f"models.{_name}(weights=None, num_classes=5{_quick})"
    _case = FILLED + _USED.format(_made) if _name in _SMALL else _LARGE.format(_made)
    if _name.startswith("vgg") and _name not in ("vgg11", "vgg16_bn"):
        # Each has 130 million weights; a test holds their table against torchvision's.
        _case = f"from torchvision import models\nn = models.{_name}() if False else 1"
    _more = "memory_efficient=False, " if _name.startswith("densenet") else ""
    rules.rule(
        f"{_M}.{_name}",
        signature="(weights=None, progress=True, *, pretrained=False, "
        f"{_more}{', '.join(f'{option}=None' for option in _options)})"
        f" -> {_M}.{_RETURNS[_name[0]]}",
        value=handed_on(_call),
        unpacked=f"{handed_on(_call)}(...)",
        note=NOT_DOWNLOADED,
        cases=[f"{_case}\ndel n", *otherwise_called(_name, _name in _SMALL)],
    )(_network)

# The classes, given what makes a network small enough to be looked at whole.
_CLASSES = {
    "SqueezeNet": "'1_1', num_classes=3",
    "MobileNetV2": "3, 0.25, [[1, 16, 1, 1], [6, 24, 2, 2]], dropout=0.1",
    "DenseNet": "8, (1, 2), 16, num_classes=3",
    "AlexNet": "",
    "VGG": "",
}
for _name, _made in _CLASSES.items():
    _case = (
        f"{FILLED}n = filled(models.{_name}({_made}))\nr = n(img.repeat(1, 1, 5, 5)[:1])\n"
        f"{_SHAPES}\ndel n"
    )
    rules.row(
        f"{_M}.{_name}",
        f"Torch{_name}(...)",
        value=f"Torch{_name}",
        cases=[
            _case
            if _made
            else f"from torchvision import models\nr = issubclass(models.{_name}, nn.Module), "
            f"isinstance(nn.Linear(1, 1), models.{_name})"
        ],
    )
