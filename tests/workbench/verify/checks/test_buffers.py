"""Buffers of whole numbers stay so in double precision; what is not saved need not come back."""

from __future__ import annotations

from pathlib import Path

from workbench.verify.sides.task import Asked
from workbench.verify.verification import verify_files

ORIGINAL = """\
import torch
from torch import nn

example_inputs = (torch.randint(0, 5, (2, 4)),)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(5, 8)
        self.register_buffer("places", torch.arange(4))
        self.register_buffer("gain", torch.tensor(2.0))
        self.register_buffer("scale", torch.full((8,), 0.5), persistent=False)

    def forward(self, ids):
        return self.words(ids) * self.scale * self.gain + self.words(self.places)
"""
PORT = """\
import paddle
from paddle import nn


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(5, 8)
        self.register_buffer("places", paddle.arange(4))
        self.register_buffer("gain", paddle.to_tensor(2.0))
        self.register_buffer("scale", paddle.full([8], 0.5), persistable=False)

    def forward(self, ids):
        return self.words(ids) * self.scale * self.gain + self.words(self.places)
"""


def test_a_port_with_such_buffers_is_certified(tmp_path: Path) -> None:
    original, port = tmp_path / "buffers_torch.py", tmp_path / "buffers_port.py"
    original.write_text(ORIGINAL)
    port.write_text(PORT)
    found = verify_files(f"{original}:Net", f"{port}:Net", Asked(), report=lambda _: None)
    assert found.certified, found.as_dict()
    assert found.precise


def test_buffers_that_are_drawn_may_differ_until_they_are_copied(tmp_path: Path) -> None:
    sides = []
    for name, text in (("torch", ORIGINAL), ("paddle", PORT)):
        drawn = f"{name}.randint(0, 9, (64,))" if name == "torch" else "paddle.randint(0, 9, [64])"
        line = f'        self.register_buffer("mask", {drawn})\n\n    def forward'
        file = tmp_path / f"drawn_{name}.py"
        file.write_text(
            text.replace("\n    def forward", line).replace("* self.gain", "* self.mask.max()")
        )
        sides.append(f"{file}:Net")
    found = verify_files(*sides, Asked(), report=lambda _: None)
    assert found.certified, found.as_dict()
    fresh = next(check for check in found.checks if check.name == "fresh weights")
    assert "mask has other values, which are copied from the original" in fresh.summary


def test_signs_of_drawn_numbers_that_are_equal_by_chance_are_no_constants(tmp_path: Path) -> None:
    sides = []
    for name, text in (("torch", ORIGINAL), ("paddle", PORT)):
        signs = "drawn.sign()[:1]" if name == "torch" else "-drawn.sign()[:1].abs()"
        draw = f"{name}.randn(8)" if name == "torch" else "paddle.randn([8])"
        lines = (
            f"        drawn = {draw}\n"
            '        self.register_buffer("drawn", drawn)\n'
            f'        self.register_buffer("signs", {signs})\n\n    def forward'
        )
        file = tmp_path / f"signs_{name}.py"
        file.write_text(
            text.replace("\n    def forward", lines).replace(
                "* self.gain", "* self.signs + self.drawn"
            )
        )
        sides.append(f"{file}:Net")
    found = verify_files(*sides, Asked(), report=lambda _: None)
    assert found.certified, found.as_dict()
