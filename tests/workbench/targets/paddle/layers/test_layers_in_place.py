"""Layers with `inplace=True` in plain Paddle: where nobody sees it, and where a helper remains."""

from __future__ import annotations

import pytest

from tests.workbench.targets.paddle.both_sides import converted

_IMPORTS = "import torch\nimport torch.nn as nn\n"

_BLOCK = """\
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 1)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
{body}
"""


@pytest.mark.parametrize(
    "body",
    [
        "return self.act(self.conv(x))",
        "out = self.conv(x)\nout = self.act(out)\nreturn out + x",
        "out = self.conv(x)\nout += x\nreturn self.act(out)",
    ],
)
def test_an_activation_in_place_is_plain_where_nobody_sees_its_input_again(body: str) -> None:
    lines = "\n".join(f"        {line}" for line in body.split("\n"))
    assert "self.act = nn.ReLU()" in converted(_IMPORTS + _BLOCK.format(body=lines))


@pytest.mark.parametrize(
    "body",
    [
        "return self.conv(self.act(x)) + x",
        "out = self.conv(x)\ny = self.act(out)\nreturn y + out",
        "out = self.conv(x)\nseen = out\nout = self.act(out)\nreturn out + seen",
    ],
)
def test_an_activation_in_place_has_a_helper_where_its_input_stays_in_sight(body: str) -> None:
    lines = "\n".join(f"        {line}" for line in body.split("\n"))
    assert "self.act = TorchReLU(inplace=True)" in converted(_IMPORTS + _BLOCK.format(body=lines))


def test_in_a_sequence_the_layer_before_makes_what_an_activation_writes_over() -> None:
    text = "net = nn.Sequential(nn.ReLU(True), nn.Conv2d(3, 4, 1), nn.ReLU(inplace=True))"
    assert converted(_IMPORTS + text).rstrip().rpartition("\n")[2] == (
        "net = nn.Sequential(TorchReLU(True), nn.Conv2D(3, 4, 1, weight_attr=init), nn.ReLU())"
    )


@pytest.mark.parametrize(
    ("holder", "act"),
    [
        ("nn.Sequential(OrderedDict([{first}, {second}]))", "nn.ReLU()"),
        ("nn.Sequential(OrderedDict([{second}, {first}]))", "TorchReLU(inplace=True)"),
        ("nn.ModuleDict([{first}, {second}])", "TorchReLU(inplace=True)"),
    ],
)
def test_layers_of_an_ordered_dictionary_follow_one_another(holder: str, act: str) -> None:
    first, second = '("conv", nn.Conv2d(3, 4, 1))', '("act", nn.ReLU(inplace=True))'
    text = f"net = {holder.format(first=first, second=second)}\n"
    code = converted(f"{_IMPORTS}from collections import OrderedDict\n{text}")
    assert f'("act", {act})' in code


@pytest.mark.parametrize(
    ("before", "act"),
    [
        ("layers.append(nn.Conv2d(3, 4, 1))", "nn.ReLU()"),
        (
            "layers.append(nn.Conv2d(3, 4, 1))\nif norm:\n    layers.append(norm(4))",
            "TorchReLU(True)",
        ),
        (
            "layers.append(nn.Conv2d(3, 4, 1))\nif norm:\n    layers.append(nn.BatchNorm2d(4))",
            "nn.ReLU()",
        ),
        ("layers.append(nn.Tanh())", "TorchReLU(True)"),
        ("layers.append(nn.Conv2d(3, 4, 1))\nlayers.reverse()", "TorchReLU(True)"),
        ("for n in range(2):\n    layers.append(nn.Conv2d(3, 4, 1))", "TorchReLU(True)"),
        ("net.append(nn.Conv2d(3, 4, 1))", "TorchReLU(True)"),
    ],
)
def test_an_appended_activation_follows_the_layer_that_is_appended_before_it(
    before: str, act: str
) -> None:
    lines = [*before.split("\n"), "layers.append(nn.ReLU(True))", "return nn.Sequential(*layers)"]
    body = "".join(f"    {line}\n" for line in lines)
    code = converted(f"{_IMPORTS}def make(norm, layers, net):\n{body}")
    assert f"    layers.append({act})\n" in code
