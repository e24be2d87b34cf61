"""A project with its own rules, written to disk."""

from __future__ import annotations

import textwrap
from pathlib import Path

RULES = """\
from workbench.rules.own import OwnRules, Refusal, Rewrite

rules = OwnRules(helpers=["paddle_ops.py"])
rules.drop_import("mylib")
for name in ("mylib.ops.nms", "torch.ops.mylib.nms"):
    rules.row(
        name,
        "torch_nms({boxes}, {scores}, threshold={threshold})",
        signature="(boxes, scores, threshold=0.5) -> Tensor",
    )
rules.row(
    "mylib.layers.Norm", "TorchNorm({dim}, eps={eps})",
    signature="(dim, eps=1e-5)", base="torch.nn.Module",
)

@rules.rule("mylib.ops.crop", signature="(x, mode='a') -> Tensor")
def crop(match):
    if match.given("mode"):
        return Refusal("it has one mode")
    return Rewrite("paddle.crop({x})")
"""
HELPERS = """\
import paddle


def torch_nms(boxes, scores, threshold=0.5):
    return paddle.vision.ops.nms(boxes, threshold, scores)


class TorchNorm(paddle.nn.Layer):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.norm = paddle.nn.LayerNorm(dim, epsilon=eps)

    def forward(self, x):
        return self.norm(x)
"""


def rules_in(folder: Path, text: str = RULES, helpers: str = HELPERS) -> Path:
    """Return the module of a project's own rules, with its helpers and its setting."""
    tools = folder / "tools"
    tools.mkdir(parents=True, exist_ok=True)
    (tools / "paddle_ops.py").write_text(helpers)
    (folder / "pyproject.toml").write_text('[tool.torchferry]\nrules = "tools/rules.py"\n')
    file = tools / "rules.py"
    file.write_text(textwrap.dedent(text))
    return file


def one_rule(folder: Path, rule: str) -> Path:
    """Return a module with a single rule."""
    head = "from workbench.rules.own import *\nrules = OwnRules(helpers=['paddle_ops.py'])\n"
    return rules_in(folder, head + textwrap.dedent(rule))
