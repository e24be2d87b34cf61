"""Values that are added at places of a dimension."""

from __future__ import annotations

import pytest

from tests.workbench.targets.paddle.both_sides import assert_prints_the_same

PROGRAM = """
import torch


def added(x, index, source):
    return {call}


x = torch.arange(6.0).reshape(3, 2).requires_grad_()
source = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
r = added(x, torch.tensor([0, 0]), source)
(r * r).sum().backward()
print(r.tolist(), x.grad.tolist(), source.grad.tolist())
"""


@pytest.mark.parametrize(
    ("call", "plain"),
    [
        ("torch.index_add(x, 0, index, source)", "paddle.index_add(x, index, 0, source)"),
        (
            "torch.index_add(x, 0, index, source + 1, alpha=0.5)",
            "paddle.index_add(x, index, 0, (source + 1) * 0.5)",
        ),
        ("x.exp().index_add(-2, index, source)", "paddle.index_add(x.exp(), index, -2, source)"),
    ],
)
def test_the_plain_call_adds_the_same(call: str, plain: str) -> None:
    assert plain in assert_prints_the_same(PROGRAM.format(call=call))


def test_bools_keep_the_helper() -> None:
    code = assert_prints_the_same(
        "import torch\n\nm = torch.tensor([True, False])\n"
        "print(m.index_add(0, torch.tensor([1]), torch.tensor([True])).tolist())\n"
    )
    assert "torch_index_add" in code
