"""Small functions that move values of any dtype, which a program calls with masks, too."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import assert_prints_the_same

HEAD = "import torch\nimport torch.nn.functional as F\n\n"
CALLS = """
x = torch.arange(6.).view(2, 3) - 2
i = torch.tensor([[0, 2], [1, 1]])


def attend(x, mask):
    x, mask = move(x), move(mask)
    return x.masked_fill(~mask, -1.0)


print(attend(x, x > 0).tolist())
"""
MOVES = (
    "F.pad(x, (1, 1))",
    "F.pad(x, (1, 1), value=value)",
    "x.gather(1, i)",
    "torch.gather(x, 1, i)",
    "x.unsqueeze(0).gather(2, i[None])",
    "x.repeat_interleave(2, 1)",
    "x.sort(1)[0]",
    "x.amax(1)",
    "x.max(1)[0]",
    "torch.min(x, dim=1).values",
    "x.max()",
    "torch.take_along_dim(x, i, 1)",
    "x.scatter(1, i, x)",
    "x.clone().scatter_(1, i, x)",
    "torch.cummax(x, 1)[0]",
    "torch.unique(x, dim=0)",
    "x + x.argsort(1) if x.dtype == torch.float32 else x[:, x.argsort(1)[0]]",
)


@pytest.mark.parametrize("move", MOVES)
def test_values_and_masks_are_moved(move: str) -> None:
    assert_prints_the_same(f"{HEAD}def move(x, value=0):\n    return {move}\n{CALLS}")


@pytest.mark.parametrize("move", MOVES)
def test_values_alone_need_no_helper(move: str) -> None:
    called = "def attend(x, i):\n    return move(x, i)\n"
    text = f"{HEAD}def move(x, i, value=0):\n    return {move}\n\n\n{called}"
    assert not workbench.convert(text).helpers


def test_a_method_and_a_sum_of_masks() -> None:
    assert_prints_the_same(
        f"{HEAD}class Counter:\n    def count(self, values):\n"
        "        return torch.cumsum(values, dim=0)\n\n\n"
        "def report(x):\n    counter = Counter()\n    seen = x.isnan()\n"
        "    return counter.count(x).tolist(), counter.count(~seen).tolist()\n\n\n"
        "print(report(torch.tensor([1.0, 2.0])))\n"
    )


@pytest.mark.parametrize("annotation", ["torch.BoolTensor", "'BoolTensor'", "BoolTensor | None"])
def test_an_annotation_names_a_mask(annotation: str) -> None:
    assert_prints_the_same(f"""import torch
from torch import BoolTensor


class Merged:
    def __init__(self, rows: {annotation}):
        rows, places = torch.unique(rows, dim=0, return_inverse=True)
        self.rows, self.places, self.counts = rows, places, rows.cumsum(1)


merged = Merged(torch.tensor([[1, 0], [1, 1], [1, 0]]).to(getattr(torch, "bool")))
print(merged.rows.tolist(), merged.places.tolist(), merged.counts.tolist())
""")
