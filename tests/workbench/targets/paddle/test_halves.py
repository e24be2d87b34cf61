"""Numbers of half precision in layers and functions that a CPU has no kernel of Paddle's for."""

from __future__ import annotations

import pytest

from workbench.convert.conversion import convert

_HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"


def _is_reported(code: str) -> bool:
    found = convert(_HEAD + code + "\n").findings
    return any("on a CPU" in one.message and one.code == "TF102" for one in found)


def _lines(code: str) -> list[int]:
    """Return the lines at which a program that makes numbers of half precision is reported."""
    found = convert(_HEAD + code + "\n").findings
    return [one.range.start.line - _HEAD.count("\n") for one in found if one.code == "TF120"]


@pytest.mark.parametrize(
    "code",
    [
        "x = torch.ones(2, dtype=torch.float16)\nr = nn.Tanh()(x)",
        "m = nn.Sequential(nn.ReLU())\nr = m(torch.ones(2).bfloat16())",
        "x = torch.ones(2, 2).half()\nr = F.softmax(x, dim=0)",
        "x = torch.ones(2, 2).half()\nF.elu_(x)",
        "w = torch.empty(2, 2, dtype=torch.float16)\nnn.init.normal_(w)",
    ],
)
def test_halves_without_a_kernel_are_reported(code: str) -> None:
    assert _is_reported(code)


@pytest.mark.parametrize(
    "code",
    [
        "r = nn.Tanh()(torch.ones(2))",
        "x = torch.ones(2, 2).half()\nr = nn.Flatten()(x), nn.Dropout(0.0)(x)",
        "x = torch.ones(2, 2).half()\nr = F.softmax(x, dim=0, dtype=torch.float32)",
        "def f(act: nn.Tanh, x):\n    return act(x)",
    ],
)
def test_other_numbers_and_layers_that_compute_nothing_are_not(code: str) -> None:
    assert not _is_reported(code)


@pytest.mark.parametrize(
    "code",
    [
        "h = torch.ones(2).half()",
        "def f(x: torch.Tensor): return 2 * x.bfloat16()",
        "h = torch.ones(2).to(torch.float16)",
        "h = torch.zeros(2, dtype=torch.bfloat16)",
        "h = torch.zeros_like(torch.ones(2), dtype=torch.half)",
    ],
)
def test_numbers_of_half_precision_are_reported_where_they_are_made(code: str) -> None:
    assert _lines(code) == [0]


@pytest.mark.parametrize(
    "code",
    [
        "h = torch.ones(2).double()",
        "with torch.autocast('cuda', dtype=torch.float16): h = torch.ones(2) @ torch.ones(2)",
        "flag = torch.ones(2).dtype == torch.float16",
    ],
)
def test_other_words_for_half_precision_are_not_reported(code: str) -> None:
    assert _lines(code) == []
