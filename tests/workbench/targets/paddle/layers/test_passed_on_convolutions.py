"""Transposed convolutions that are chosen in one place and made in another, with torch's names."""

from __future__ import annotations

import pytest

from tests.workbench.targets.paddle.both_sides import assert_prints_the_same, converted

_HEAD = "import torch\nfrom functools import partial\nfrom torch import nn\n"
_SHOW = "print(up.bias is None, up.weight.shape[0], up(torch.ones(1, 3, 4)).shape[-1])\n"


@pytest.mark.parametrize(
    "made",
    [
        "def pick():\n    return nn.ConvTranspose1d\nup = pick()(3, 2, 2, 2, bias=False)\n",
        "ups = {'a': nn.ConvTranspose1d}\nup = ups['a'](3, 2, 2, 2, 0, 0, 1, False)\n",
        "def make(cls, **more):\n    return cls(3, 2, 2, **more)\n"
        "up = make(nn.ConvTranspose1d, stride=2, bias=False)\n",
        "up = partial(nn.ConvTranspose1d, 3, bias=False)(2, 2, 2)\n",
    ],
)
def test_a_class_that_is_passed_on_takes_torchs_arguments(made: str) -> None:
    assert_prints_the_same(_HEAD + made + _SHOW)


def test_a_class_that_is_called_or_tested_for_is_paddles() -> None:
    code = converted(
        f"{_HEAD}up = nn.ConvTranspose1d(3, 2, 2, bias=False)\n"
        "print(isinstance(up, nn.ConvTranspose1d))\n"
    )
    assert code.count("nn.Conv1DTranspose") == 2
    assert "TorchConvTranspose1d" not in code
