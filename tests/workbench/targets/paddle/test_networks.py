"""The tables of networks that are too large to be made in every test."""

from __future__ import annotations

import ast

import pytest

from workbench import convert
from workbench.upstream.vision import available

_LETTERS = {"11": "A", "13": "B", "16": "D", "19": "E"}


@pytest.mark.parametrize("norm", ["", "_bn"])
@pytest.mark.parametrize("size", list(_LETTERS))
def test_vgg_has_the_convolutions_of_torchvision(size: str, norm: str) -> None:
    if not available():
        pytest.skip("torchvision is not installed")
    from torchvision.models.vgg import cfgs

    source = f"from torchvision import models\nnet = models.vgg{size}{norm}(num_classes=7)\n"
    written = convert(source).code.rstrip("\n").split("\n")[-1]
    call = ast.parse(written).body[0].value  # type: ignore[attr-defined]
    counts, with_norm = (ast.literal_eval(argument) for argument in call.args)
    blocks: list[list[int]] = [[]]
    for entry in cfgs[_LETTERS[size]]:
        if entry == "M":
            blocks.append([])
        else:
            blocks[-1].append(int(entry))
    assert counts == [len(block) for block in blocks[:-1]]
    assert [block[0] for block in blocks[:-1]] == [64, 128, 256, 512, 512]
    assert with_norm is bool(norm)
