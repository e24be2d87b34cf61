"""Small networks of torchvision, and Inception, without the weights that it downloads."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome
from workbench.rules.rule import RuleSet
from workbench.targets.paddle.vision import NOT_DOWNLOADED, handed_on, network
from workbench.upstream.cases.networks import FILLED, otherwise_called

rules = RuleSet()

_M = "torchvision.models"
_WIDTHS = {
    "x0_5": [24, 48, 96, 192, 1024],
    "x1_0": [24, 116, 232, 464, 1024],
    "x1_5": [24, 176, 352, 704, 1024],
    "x2_0": [24, 244, 488, 976, 2048],
}
_INCEPTION = ("num_classes", "aux_logits", "transform_input", "init_weights", "dropout")
# By name: the call of the helper, what it may be given beside, and the class that it makes.
_NETWORKS: dict[str, tuple[str, tuple[str, ...], str]] = {
    **{
        f"shufflenet_v2_{size}": (
            f"TorchShuffleNetV2([4, 8, 4], {widths}, {{}})",
            ("num_classes",),
            "ShuffleNetV2",
        )
        for size, widths in _WIDTHS.items()
    },
    **{
        f"mobilenet_v3_{size}": (
            f"torch_mobilenet_v3({size == 'large'}, {{}})",
            ("num_classes", "dropout"),
            "MobileNetV3",
        )
        for size in ("large", "small")
    },
    "inception_v3": ("TorchInception3({})", _INCEPTION, "Inception3"),
    "googlenet": ("TorchGoogLeNet({})", (*_INCEPTION, "dropout_aux"), "GoogLeNet"),
}


def _network(match: Match) -> Outcome:
    call, options, _ = _NETWORKS[match.use.name.rpartition(".")[2]]
    return network(match, call, options)


_SHAPES = (
    "k = [(name, list(each.shape)) for name, each in sorted(n.state_dict().items())]\ns = str(n)"
)
_LIKE_ANOTHER = ("shufflenet_v2_x1_0", "shufflenet_v2_x1_5", "shufflenet_v2_x2_0")
_DRAWN = "init_weights=False, "
for _name, (_call, _options, _class) in _NETWORKS.items():
    _quick = _DRAWN if "init_weights" in _options else ""
    _made = f"models.{_name}(weights=None, {_quick}num_classes=5)"
    # An image of Inception is at least 75 pixels wide.
    _size = 10 if _class in ("Inception3", "GoogLeNet") else 4
    _run = f"n = filled({_made})\nr = n(img.repeat(1, 1, {_size}, {_size})[:1])\n{_SHAPES}\ndel n"
    if _class == "Inception3":
        _made = _made.replace("num", "transform_input=True, dropout=0.0, num")
        _run = (
            f"n = filled({_made})\ni = img.repeat(1, 1, 10, 10)\nr = n(i)\no = n.train()(i)\n"
            f"f = list(o._fields), o.logits.shape, o.aux_logits.shape\n{_SHAPES}\ndel n, o"
        )
    elif _name in _LIKE_ANOTHER:
        _run = f"n = {_made}\n{_SHAPES}\ndel n"
    _cases = [FILLED + _run, *otherwise_called(_name, _name == "mobilenet_v3_small")]
    rules.rule(
        f"{_M}.{_name}",
        signature="(weights=None, progress=True, *, pretrained=False, "
        f"{', '.join(f'{option}=None' for option in _options)}) -> {_M}.{_class}",
        value=handed_on(_call),
        unpacked=f"{handed_on(_call)}(...)",
        note=NOT_DOWNLOADED,
        cases=_cases,
    )(_network)

# The classes, given what makes a network small enough to be looked at whole.
_I = f"{_M}.inception"
_CLASSES = {
    f"{_M}.ShuffleNetV2": (
        "(stages_repeats, stages_out_channels, num_classes=1000, inverted_residual=None)",
        "[2, 1, 1], [8, 16, 16, 32, 32], num_classes=3",
        "img",
    ),
    f"{_I}.InceptionA": (
        "(in_channels, pool_features, conv_block=None)",
        "3, 4, conv_block=inception.BasicConv2d",
        "img",
    ),
    f"{_I}.InceptionB": ("(in_channels, conv_block=None)", "3, conv_block=None", "img"),
    f"{_I}.InceptionC": (
        "(in_channels, channels_7x7, conv_block=None)",
        "3, channels_7x7=2",
        "img",
    ),
    f"{_I}.InceptionD": ("(in_channels, conv_block=None)", "in_channels=3", "img"),
    f"{_I}.InceptionE": ("(in_channels, conv_block=None)", "3, conv_block=None", "img"),
    f"{_I}.BasicConv2d": (
        "(in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1)",
        "3, 4, kernel_size=3, stride=2",
        "img",
    ),
    f"{_I}.InceptionAux": (
        "(in_channels, num_classes, conv_block=None)",
        "3, 2",
        "img.repeat(1, 1, 3, 3)",
    ),
}
for _name, (_signature, _made, _given) in _CLASSES.items():
    _short = _name.rpartition(".")[2]
    rules.row(
        _name,
        f"Torch{_short}(...)",
        value=f"Torch{_short}",
        signature=_signature,
        cases=[
            f"{FILLED}from torchvision.models import inception\nn = filled({_name}({_made}))\n"
            f"r = n({_given})\n{_SHAPES}\ndel n"
        ],
    )
for _short in ("Inception3", "GoogLeNet"):
    _options = _NETWORKS["googlenet" if _short == "GoogLeNet" else "inception_v3"][1]
    rules.row(
        f"{_M}.{_short}",
        f"Torch{_short}({', '.join(f'{option}={{{option}}}' for option in _options)})",
        value=f"Torch{_short}",
        cases=[
            f"from torchvision import models\nn = models.{_short}(num_classes=3, aux_logits=False, "
            f"init_weights=False)\n{_SHAPES}\ni = isinstance(n, models.{_short})\ndel n"
        ],
    )
