"""The same text gives the same tree and the same findings, whatever was typed before."""

from __future__ import annotations

import ast
import importlib.util
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import workbench
from workbench.convert.checking import Kept
from workbench.source.parsing.parse import Parsed, parse

# Characters and lines that open something, end it, or stand at the wrong depth.
KEYS = ["(", ")", "[", "]", '"""', "'''", "'", ".", ",", ":", "=", " ", "    ", "x", "\\"]
LINES = [
    "aa = torch.sub(x, y)",
    "z = torch.stack([a, b], dim=1)",
    "# é😀 note",
    "",
    "(",
    '"""',
    "    '''",
    "def f(",
    "class A(",
    "@",
    "else:",
    "try:",
    "    return torch.relu(x",
    "        x = x.",
    "        if x > 0",
    "  y = 1",
    "\ty = 'a",
    "x = [\\",
    "match x:",
    "    case 1:",
]


@cache
def source(module: str) -> list[str]:
    """Return the lines of a file of torch, which is not imported."""
    spec = importlib.util.find_spec("torch")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent.joinpath(module).read_text(encoding="utf-8").split("\n")


def edited(lines: list[str], rng: random.Random) -> Iterator[list[str]]:
    """Yield one edit after the other; now and then all is as it was at first."""
    first = lines
    while True:
        at, kind = rng.randrange(len(lines) - 1), rng.random()
        line = lines[at]
        column = rng.randrange(len(line) + 1)
        if kind < 0.2:
            changed = [line[:column] + rng.choice(KEYS) + line[column:]]
        elif kind < 0.35:
            changed = [line[:column] + line[column + 1 :]]
        elif kind < 0.45:
            changed = [line[:column], line[column:]]
        elif kind < 0.65:
            changed = [line, rng.choice(LINES)]
        else:
            changed = []
        gone = rng.choice([1, 1, 1, 5]) if kind > 0.8 else 1
        lines = [*lines[:at], *changed, *lines[at + gone :]]
        if rng.random() < 0.1 or len(lines) < 9:
            lines = first
        yield lines


def shown(parsed: Parsed) -> tuple[str, object, object]:
    return ast.dump(parsed.tree, include_attributes=True), parsed.error, parsed.masked


def findings(analysis: workbench.Analysis, kept: Kept | None = None) -> list[str]:
    found = workbench.check_analysis(analysis, kept=kept)
    return [f"{one.range} {one.code} {one.message} {one.certainty}" for one in found]


def type_and_compare(lines: list[str], edits: int, every: int, seed: int) -> None:
    """Compare with a fresh analysis: the tree after each edit, the findings after some."""
    typed, kept = workbench.analyse("\n".join(lines)), Kept()
    texts = edited(lines, random.Random(seed))
    for number in range(edits):
        text = "\n".join(next(texts))
        typed = workbench.analyse(text, typed)
        where = f"seed {seed}, edit {number}"
        if number % max(1, every // 10) == 0:
            assert shown(typed.parsed) == shown(parse(text)), where
        if number % every == every - 1:
            fresh = findings(workbench.analyse(text))
            assert findings(typed, kept) == fresh, where


def test_a_short_file(seed: int) -> None:
    type_and_compare(source("nn/modules/rnn.py")[:250], 40, 8, seed)


OVERRIDES = """\
class Kept(Module):
    def forward(self, x: "Tensor", *rest: "Optional[torch.Tensor]") -> "torch.Tensor":
        return x.sub(1)

    def get_extra_state(self) -> "dict[str, torch.Tensor]":
        return {}

    def set_extra_state(self, state: "dict[str, torch.Tensor]") -> None:
        x: "torch.Tensor" = state["x"]
        self.x = x.permute(1, 0)
"""


def test_a_file_with_quoted_annotations_and_overrides(seed: int) -> None:
    lines = [one.replace(": Tensor", ': "Tensor"') for one in source("nn/modules/activation.py")]
    start = lines.index("class Threshold(Module):")
    quoted = [*lines[: start + 60], *OVERRIDES.split("\n"), *lines[-120:]]
    assert '"Tensor"' in "\n".join(quoted)
    type_and_compare(quoted, 40, 8, seed)


def test_cells_of_a_notebook(seed: int) -> None:
    cells = [
        "import torch\nimport torch.nn as nn\nx = torch.rand(3)",
        "class A(nn.Module):\n    def forward(self, x):\n        return torch.relu(x)",
        "m = A()\n!ls\nfor i in range(3):\n    z = m(x) * torch.sigmoid(x)\nz.item()",
    ]
    type_and_compare("\n".join(cells * 6).split("\n"), 40, 8, seed)


@pytest.mark.thorough
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("modules", "edits"),
    [
        (["nn/modules/activation.py"], 2000),
        (["nn/modules/rnn.py", "nn/modules/transformer.py"], 2000),
        (["nn/functional.py", "nn/modules/rnn.py"], 1000),
    ],
)
def test_large_files(modules: list[str], edits: int, seed: int) -> None:
    lines = [line for module in modules for line in source(module)]
    assert len(lines) > 1000
    type_and_compare(lines, edits, 100, seed)
