"""Fixes taken one after the other in a program as people write them: each leaves whole code."""

from __future__ import annotations

import difflib
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from vscode_page import START_MS, Workbench

if TYPE_CHECKING:
    from collections.abc import Callable

PROGRAM = Path(__file__).parents[2] / "programs" / "gpt.py"

# What the three fixes write. torch's own nn is still in use, so Paddle's is named in full.
WRITTEN = """\
import paddle
init = paddle.nn.initializer.KaimingUniform(negative_slope=5**0.5, nonlinearity="leaky_relu")

class Block(paddle.nn.Layer):
        self.norm1, self.norm2 = paddle.nn.LayerNorm(width), paddle.nn.LayerNorm(width)
        self.qkv = paddle.nn.Linear(width, 3 * width, weight_attr=init, bias_attr=False)
        self.out = paddle.nn.Linear(width, width, weight_attr=init)
        self.mlp = paddle.nn.Sequential(paddle.nn.Linear(width, 4 * width, weight_attr=init), \
paddle.nn.GELU(), paddle.nn.Linear(4 * width, width, weight_attr=init))
        mask = paddle.triu(paddle.ones(t, t, dtype=paddle.bool, device=x.device), diagonal=1)
        x = x + self.out((paddle.nn.functional.softmax(scores.masked_fill(mask, float("-inf")), \
dim=-1) @ v).transpose(1, 2).reshape(b, t, d))
        self.place = paddle.nn.Parameter(paddle.zeros(1, context, width))
    return paddle.optimizer.AdamW(1e-2, parameters=groups, beta1=0.9, beta2=0.95)
        optimizer.set_lr(lr)
"""
USE = "import paddle, program; print(program.Block(16, 2)(paddle.ones([1, 4, 16])).shape)"


def test_three_fixes_in_a_row(open_folder: Callable[[Path], Workbench], tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("paddle")
    before = PROGRAM.read_text()
    file = tmp_path / "program.py"
    file.write_text(before)
    window = open_folder(tmp_path)
    window.open_file("program.py")
    window.expect_any_squiggle(START_MS)
    for place, title in (
        ("nn.Parameter", "Convert this statement (2 uses)"),
        ("Block(nn.Module)", "Convert class Block (13 uses)"),
        ("optim.AdamW", "Convert torch.optim.AdamW to paddle.optimizer.AdamW"),
    ):
        ahead = file.read_text().partition(place)[0]
        line = ahead.count("\n")
        window.go_to(line + 1, len(ahead.split("\n")[line]) + 1)
        window.quick_fix(title)
        window.save()
    after = file.read_text()
    changed = difflib.ndiff(before.splitlines(), after.splitlines())
    assert [each[2:] for each in changed if each.startswith("+ ")] == WRITTEN.splitlines()
    ran = subprocess.run(
        [sys.executable, "-c", USE], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert ran.stdout.split("\n")[-2:] == ["paddle.Size([1, 4, 16])", ""], ran.stderr
