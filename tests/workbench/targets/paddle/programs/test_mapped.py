"""Values that `map` makes."""

from __future__ import annotations

import pytest

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


PARTIAL = """from functools import partial
import torch

x = torch.linspace(-1, 1, 24).view(2, 3, 4)
later = {}
found = later(x)
print(found.shape[0], found.sum().item(), found.flatten()[1].item())
"""


@pytest.mark.parametrize(
    "later",
    [
        "partial(torch.flip, dims=(1,))",
        "partial(torch.permute, dims=(2, 0, 1))",
        "partial(torch.repeat_interleave, repeats=2, dim=1)",
        "partial(torch.logsumexp, dim=1, keepdim=True)",
        "partial(torch.roll, shifts=1, dims=2)",
        "partial(torch.index_select, dim=1, index=torch.tensor([0, 2]))",
        "partial(torch.matmul, other=torch.ones(4, 2))",
        "partial(torch.remainder, other=0.3)",
    ],
)
def test_a_partial_function_leaves_its_first_argument_to_later_calls(later: str) -> None:
    assert_prints_the_same(PARTIAL.format(later))
