"""Values that are copied into a part of a tensor: the part is assigned."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import TARGET, assert_prints_the_same, converted

PROGRAM = """
import torch

x = torch.zeros(4, 3, requires_grad=True)
v = torch.tensor([1.5, 2.5, 3.5], requires_grad=True)
wide = torch.tensor(5.25, dtype=torch.float64)
counts = torch.zeros(4, 3, dtype=torch.long)
y = x * 2
{write}
(y * y).sum().backward()
print(v.grad is not None and v.grad.tolist(), x.grad.tolist())
print(y.tolist(), counts.tolist(), v.tolist())
"""


@pytest.mark.parametrize(
    "write",
    [
        "y[1].copy_(v)",
        "y[2:].copy_(v * 3, non_blocking=True)",
        "y[0, 1].copy_(wide)\ny[:, 0].copy_(torch.arange(4))",
        "for i in range(2):\n    y[i].copy_(v)\n    y[3].fill_(wide)",
        "counts[:2].copy_(v.detach())\ncounts[-1].fill_(wide)",
    ],
)
def test_the_part_is_assigned(write: str) -> None:
    program = PROGRAM.format(write=write)
    assert "torch_into" not in converted(program)
    assert_prints_the_same(program)


def test_an_unknown_value_is_assigned_and_the_line_says_when_this_matters() -> None:
    text = "import torch\n\n\ndef f(y):\n    x = torch.zeros(4, 3)\n    x[1].copy_(y)\n"
    result = workbench.convert(text, target=TARGET)
    assert result.code.endswith("\n    x[1] = y\n")
    assert [one.range.start.line for one in result.findings if one.code == "TF119"] == [5]


@pytest.mark.parametrize("write", ["y[:1].copy_(y[1:2])", "part = y[2]\ny[1].copy_(part)"])
def test_a_part_of_the_same_tensor_is_copied_first(write: str) -> None:
    assert_prints_the_same(PROGRAM.format(write=write))


def test_a_selection_is_a_copy_and_is_not_assigned() -> None:
    program = (
        "import torch\n\nx = torch.zeros(4, 3)\nx[torch.tensor([0, 2])].copy_(torch.ones(2, 3))\n"
        "x[x < 1].fill_(torch.tensor(3.0))\nprint(x.tolist())\n"
    )
    assert_prints_the_same(program)
