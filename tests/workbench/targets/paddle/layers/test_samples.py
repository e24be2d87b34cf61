"""Layers and functions of batches, called with a single sample."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import TARGET, assert_prints_the_same

_HEAD = """\
import torch
import torch.nn as nn
import torch.nn.functional as F
images = torch.arange(2. * 3 * 8 * 8).reshape(2, 3, 8, 8).cos()
"""
_SHOWN = "print(y.shape[0], y.dim(), y.abs().sum().item())\n"


@pytest.mark.parametrize(
    "call",
    [
        "y = nn.MaxPool2d(2)(images[0])",
        "pool = nn.AvgPool2d(2)\nfor one in images:\n    y = pool(one)",
        "one = images[-1]\ny = nn.ReflectionPad2d(1)(one)",
        "y = nn.Dropout2d(0.5).eval()(images[0])",
        "y = nn.AdaptiveAvgPool1d(2)(images[0, :, 1])",
        "y = nn.InstanceNorm2d(3)(torch.ones(3, 4, 4))",
        "y = nn.PixelShuffle(2)(images.reshape(24, 4, 4))",
        "y = F.max_pool2d(images[1], 2)",
        "y = F.conv2d(images[1], torch.ones(2, 3, 2, 2), padding='same')",
        "y = F.pixel_unshuffle(images[0], 2)",
        "y = F.pad(images[0], (1, 1, 1, 1), mode='reflect')",
        "y = F.interpolate(images[0], scale_factor=2)",
        "y = nn.MaxPool2d(2)(images.unsqueeze(0)[0])",  # one item of five dimensions is a batch
    ],
)
def test_a_sample_goes_through_a_layer_as_in_torch(call: str) -> None:
    assert_prints_the_same(f"{_HEAD}{call}\n{_SHOWN}")


@pytest.mark.parametrize(
    "call",
    [
        "y = nn.MaxPool2d(2)(images)",
        "y = nn.MaxPool2d(2)(images[:1])",
        "y = nn.MaxPool2d(2)(images[0][None])",
        "y = nn.MaxPool2d(2)(torch.ones(1, 3, 4, 4))",
        "def f(layers, parts):\n    return layers[0](parts[0])\n",
    ],
)
def test_a_batch_needs_no_helper(call: str) -> None:
    assert "torch_on_sample" not in workbench.convert(_HEAD + call, target=TARGET).code


def test_channels_of_a_sample_are_dropped_as_torch_drops_them() -> None:
    text = "torch.manual_seed(0)\ny = nn.Dropout2d(0.5)(torch.ones(50, 4, 8))"
    code = workbench.convert(_HEAD + text, target=TARGET).code
    space: dict[str, object] = {}
    exec(code, space)
    rows = space["y"].sum(-1)  # type: ignore[attr-defined]
    assert set(rows.flatten().tolist()) == {0.0, 16.0}
    assert 0 < (rows[0] == 0).sum() + (rows[1] == 0).sum() < 8


@pytest.mark.parametrize(
    ("sizes", "plain"),
    [
        ("2, 3, padding=1, ceil_mode=True", False),
        ("(2, 3), padding=(0, 1), ceil_mode=True", False),
        ("3, 2, 1, ceil_mode=True", True),
        ("2, 3, padding=1", True),
        ("2, 3, ceil_mode=True", True),
    ],
)
def test_no_window_starts_in_the_padding(sizes: str, plain: bool) -> None:
    code = assert_prints_the_same(f"{_HEAD}y = nn.MaxPool2d({sizes})(images)\n{_SHOWN}")
    assert ("TorchMaxPool2d" not in code) is plain


def test_computed_sizes_of_windows_are_reported() -> None:
    text = "def f(x, k):\n    return F.avg_pool2d(x, k, padding=1, ceil_mode=True)\n"
    found = workbench.convert(_HEAD + text, target=TARGET).findings
    assert any(one.code == "TF119" and "ceil_mode" in one.message for one in found)
