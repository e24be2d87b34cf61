"""Parts that are views in torch, and change in place under other names."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import assert_prints_the_same

HEAD = """
import torch
def grow(part, k):
    part.mul_(k)
def halves(x):
    return x.chunk(2, dim=0)
class Box:
    def __init__(self, parts):
        self.parts = parts
    def run(self):
        self.parts[0].fill_(1.5)
x = torch.arange(24.0).view(4, 6)
"""


@pytest.mark.parametrize(
    "body",
    [
        "rows = list(zip(x.split(2), [1, 2]))\nfor p, k in rows:\n    p.add_(k)",
        "parts = enumerate(zip(x.split(1), zip(x.chunk(4), range(4))))\n"
        "for i, (p, (q, r)) in parts:\n    q[:, 0] = 7.0",
        "[grow(p, 2) for p in x.split(2)]",
        "for h in halves(x):\n    h.sub_(3)",
        "Box(x.tensor_split(2)).run()",
        "Box(x.hsplit(2)).run()",
        "kept = {}\nfor i, p in enumerate(x.chunk(2)):\n    kept[i] = p\nkept[1].neg_()",
        "for row in list(x):\n    row.mul_(2)",
        "for c in map(torch.t, x.unbind(0)):\n    c += 1",
    ],
)
def test_a_part_that_changes_under_another_name_changes_the_tensor(body: str) -> None:
    assert_prints_the_same(f"{HEAD}{body}\nprint(x.tolist())\n")


def test_parts_that_nothing_changes_stay_plain() -> None:
    text = f"{HEAD}for a, b in zip(x.split(2), x.chunk(2)):\n    print((a + b).tolist())\n"
    code = assert_prints_the_same(text)
    assert "paddle.compat.split(x, 2)" in code
    assert "torch_split" not in code
    assert "torch_chunk" not in code


@pytest.mark.parametrize(
    "body",
    [
        "c = x.expand(1, 4, 6)\nc[0] = 7.0",
        "c = torch.broadcast_to(x, (4, 6))\ngrow(c, 2)",
        "a = x.numpy()\na += 1",
        "for a in [x.numpy()]:\n    a[0] = 3",
        "z = torch.view_as_complex(x.view(4, 3, 2))\nr = z.imag\nr.mul_(2)",
        "w = x.unfold(1, 2, 1)\nw[0] = 1.0",
    ],
)
@pytest.mark.parametrize("style", ["plain", "exact"])
def test_a_copy_that_changes_is_reported(body: str, style: str) -> None:
    found = workbench.convert(f"{HEAD}{body}\nprint(x)\n", style=style).findings
    assert any("the result is a copy in Paddle" in one.message for one in found)


@pytest.mark.parametrize(
    "body", ["c = x.expand(2, 4, 6)\nd = c * 2\nd[0] = 1.0", "a = x.numpy()\nb = a + 1\nb[0] = 1"]
)
def test_a_copy_that_keeps_its_values_is_not(body: str) -> None:
    found = workbench.convert(f"{HEAD}{body}\nprint(x)\n").findings
    assert not any("the result is a copy in Paddle:" in one.message for one in found)
