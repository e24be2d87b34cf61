"""Fixes taken one after the other in a program as people write them: each leaves whole code."""

from __future__ import annotations

import difflib
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from lsp_session import Session, apply, edits_of, span

PROGRAM = Path(__file__).parents[3] / "programs" / "gpt.py"

# The result of the three fixes. torch's own nn is still in use, so Paddle's is named in full.
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


def test_three_fixes_in_a_row(session: Session, tmp_path: Path) -> None:
    if find_spec("torch") is None or find_spec("paddle") is None:
        pytest.skip("the result runs in Paddle")
    # A state of an optimizer that is loaded needs a helper, which test_optimizer_state.py reads.
    before = text = PROGRAM.read_text().replace("optimizer.load_state_dict", "optimizer.resume")
    file = tmp_path / "program.py"
    session.open(file.as_uri(), text)
    for version, (place, title) in enumerate(
        (
            ("nn.Parameter", "Convert this statement (2 uses)"),
            ("Block(nn.Module)", "Convert class Block (13 uses)"),
            ("optim.AdamW", "Convert torch.optim.AdamW to paddle.optimizer.AdamW"),
        ),
        start=2,
    ):
        lines = text.partition(place)[0].split("\n")
        where = span(len(lines) - 1, len(lines[-1]), len(lines) - 1, len(lines[-1]))
        offered = session.actions(file.as_uri(), where)
        fix = next(action for action in offered if action.title.startswith(title))
        text = apply(text, edits_of(session.resolve(fix)))
        session.change(file.as_uri(), version, text)
    changed = difflib.ndiff(before.splitlines(), text.splitlines())
    assert [each[2:] for each in changed if each.startswith("+ ")] == WRITTEN.splitlines()
    file.write_text(text)
    ran = subprocess.run(
        [sys.executable, "-c", USE], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert ran.stdout.split("\n")[-2:] == ["paddle.Size([1, 4, 16])", ""], ran.stderr
