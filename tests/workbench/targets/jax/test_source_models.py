"""Models of many authors, in JAX: every file is converted to code that parses."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from workbench.convert.conversion import convert

SOURCES = sorted((Path(__file__).parents[3] / "models" / "sources").glob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_what_stays_has_a_reason(path: Path) -> None:
    conversion = convert(path.read_text(encoding="utf-8"), target="jax")
    ast.parse(conversion.code)
    codes = {finding.code for finding in conversion.unconverted}
    assert codes <= {"TF200", "TF201", "TF400"}
    for code in codes - {"TF400"}:
        assert f"# torchferry {code}: " in conversion.code
    assert conversion.findings


@pytest.mark.parametrize(
    "text",
    [
        "import torch\n\ndef f(w, lr):\n    w.data -= lr * w.grad.data\n",
        "from functools import partial\nimport torch\nf = partial(torch.nn.LayerNorm, eps=1.0)\n",
        "import torch\nx = torch.zeros(3)\nx.data = torch.ones(3)\n",
    ],
)
def test_odd_code_is_refused(text: str) -> None:
    assert convert(text, target="jax").unconverted
