"""Values that `map` makes."""

from __future__ import annotations

from tests.workbench.targets.paddle.both_sides import assert_prints_the_same

HEAD = """import numpy as np
import torch

x, y = np.arange(6.0).reshape(2, 3).astype("float32"), np.ones((2, 3), "float32")
"""


def test_tensors_are_unpacked() -> None:
    assert_prints_the_same(
        HEAD + "x, y = map(torch.from_numpy, (x, y))\n"
        "a, b = map(torch.tensor, ([1, 2], [1.0, 2.0]))\n"
        "print(((x > 2).long() * y).sum().item(), (a * b).sum().item())\n"
    )


def test_functions_of_the_program_get_what_is_mapped() -> None:
    assert_prints_the_same(
        HEAD + "def scaled(t, factor):\n    return t.float().div(factor).add(1)\n\n\n"
        "a, b = map(scaled, map(torch.from_numpy, (x, y)), (2, 4))\n"
        "c, d = map(lambda t: t.type(torch.int64) * 0.5, [a, b])\n"
        "print(a.tolist(), b.tolist(), c.sum().item(), d.sum().item())\n"
        "print([t.max().item() for t in map(torch.abs, [a, b])], *map(int, '3 4'.split()))\n"
    )
