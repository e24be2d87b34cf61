"""In-place changes of results whose values Paddle's backward pass needs and torch's does not."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import assert_prints_the_same

HEAD = """\
import torch

w = torch.linspace(0.5, 2.0, 6).reshape(2, 3).requires_grad_()
v = torch.linspace(1.0, 3.0, 6).reshape(2, 3).requires_grad_()
"""
TAIL = "\ny.sum().backward()\nprint(w.grad.tolist(), y.tolist())\n"


@pytest.mark.parametrize(
    "body",
    [
        "y = w * 2\nif v.shape[0] > 1:\n    y = y / v\ny.masked_fill_(v > 2, 0.0)",
        "if v.ndim == 2:\n    y = w / v\nelse:\n    y = w.exp()\ny.clamp_(min=0.6)",
        "y = w + v\nif v.ndim == 2:\n    y = y.var(dim=1)\ny.add_(1.0)",
    ],
)
def test_results_of_branches(body: str) -> None:
    assert_prints_the_same(HEAD + body + TAIL)


@pytest.mark.parametrize("found", ["0", "0.5", "z.sum(1)"])
def test_a_sum_takes_numbers_and_tensors(found: str) -> None:
    assert_prints_the_same(
        "import torch\n"
        f"def flow(z):\n    return z * 2, {found}\n"
        "def run(z):\n"
        "    total = torch.zeros(z.shape[0], dtype=z.dtype)\n"
        "    for one in [flow, flow]:\n"
        "        z, found = one(z)\n"
        "        total += found\n"
        "    return total\n"
        "print(run(torch.ones(3, 2)).tolist())\n"
    )


@pytest.mark.parametrize(
    ("line", "reported"),
    [("a &= b", True), ("a |= b > 0", False), ("a ^= 3", False), ("c &= d", False)],
)
def test_a_bitwise_change_by_another_dtype_is_reported(line: str, reported: bool) -> None:
    result = workbench.convert(
        "import torch\ndef f(a: torch.Tensor, b: torch.Tensor):\n"
        f"    c, d = b > 0, b < 1\n    {line}\n    return a, c\n"
    )
    found = [one for one in result.findings if "if the right side has another dtype" in one.message]
    assert [one.range.start.line for one in found] == ([3] if reported else [])
