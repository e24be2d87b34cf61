"""Sizes that NumPy gives, results that may be numbers, and other facts of whole programs."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import TARGET, assert_prints_the_same

_HEAD = "import numpy as np\nimport torch\nimport torch.nn as nn\n"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("y = x.reshape(-1, np.prod(shape))", "x.reshape([-1, np.prod(shape)])"),
        ("y = x.view(np.prod(shape), 2)", "x.view([np.prod(shape), 2])"),
        ("y = x.view(np.prod(shape))", "x.view([np.prod(shape)])"),
        ("n = np.array(shape)\ny = x.repeat(n[0], 1)", "x.repeat([n[0], 1])"),
        ("n = np.array(shape)\ny = x.expand(n[0], 4)", "x.expand([n[0], 4])"),
        ("n = np.array(shape)\ny = torch.ones(*n)", "paddle.ones([*n])"),
        ("y = torch.zeros(np.int64(2), 3)", "paddle.zeros([np.int64(2), 3])"),
        ("y = x.reshape(x.shape[0], -1)", "x.reshape(x.shape[0], -1)"),
    ],
)
def test_sizes_of_numpy_are_listed(written: str, expected: str) -> None:
    text = f"{_HEAD}def f(x: torch.Tensor, shape):\n    " + written.replace("\n", "\n    ")
    assert expected in workbench.convert(text + "\n    return y\n", target=TARGET).code


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("parts = x.abs().chunk(n, dim=-1)", "TF119"),
        ("y = x.repeat_interleave(x[0].long())", "TF119"),
        ("import scipy.special\n    y = scipy.special.binom(4, 2 * x)", "TF200"),
        ("import scipy.special as special\n    y = [special.expit(v) for v in x]", "TF200"),
    ],
)
def test_an_error_for_some_values_is_reported_at_its_line(line: str, code: str) -> None:
    text = f"{_HEAD}def f(x: torch.Tensor, n: int):\n    {line}\n"
    found = workbench.convert(text, target=TARGET).findings
    assert code in {one.code for one in found if one.range.start.line >= 4}


def test_the_places_of_each_dimension_in_a_list_become_a_tuple() -> None:
    text = f"{_HEAD}x = torch.ones(3, 3)\nat = [torch.tensor([0]), torch.tensor([1])]\ny = x[at]\n"
    assert "y = x[tuple(at)]" in workbench.convert(text, target=TARGET).code
    one = text.replace("at = [torch.tensor([0]), torch.tensor([1])]", "at = [0, 2]")
    assert "y = x[at]" in workbench.convert(one, target=TARGET).code


PROGRAM = (
    _HEAD
    + """
class Split(nn.Module):
    def forward(self, z):
        return z, 0


class Scale(nn.Module):
    def forward(self, z):
        return z * 2, torch.zeros(len(z)) + 0.5


class Flows(nn.Module):
    def __init__(self, *flows):
        super().__init__()
        self.flows = nn.ModuleList(flows)

    def forward(self, z):
        total = torch.zeros(len(z), dtype=z.dtype)
        for flow in self.flows:
            z, change = flow(z)
            total += change
        return z, total


z, total = Flows(Split(), Scale(), Split())(torch.ones(2, 3))
print(z.sum().item(), total[0].item())


def complete(mask: torch.ByteTensor):
    return bool(mask[0].all() and mask.any())


print(complete(torch.ones(2, 3, dtype=torch.uint8)))
conv = nn.Conv2d(1, 1, 1)
print(conv._conv_forward(torch.ones(1, 1, 2, 2), conv.weight * 0 + 2, None).sum().item())
shape = (2, 3)
print(torch.arange(12.0).reshape(-1, np.prod(shape))[1, 0].item())
print(torch.ones(*np.array(shape)).sum().item())
at = [torch.tensor([0, 1]), torch.tensor([1, 2])]
print(torch.arange(9.0).reshape(3, 3)[at][1].item())
print(torch.repeat_interleave(torch.arange(3.0), torch.tensor([2])).sum().item())
"""
)


def test_both_sides_print_the_same() -> None:
    assert_prints_the_same(PROGRAM)


def test_hooks_after_the_forward_pass_count_those_of_the_backward_pass() -> None:
    text = f"{_HEAD}net = nn.Linear(2, 2)\nprint(len(net._forward_hooks))\n"
    assert "TF119" not in {one.code for one in workbench.convert(text, target=TARGET).findings}
    text += "net.register_full_backward_hook(print)\n"
    assert "TF119" in {one.code for one in workbench.convert(text, target=TARGET).findings}


@pytest.mark.parametrize(
    "array",
    [
        "np.random.default_rng(0).integers(0, 9, (2, 3), dtype=np.uint8)",
        "(np.random.default_rng(0).random((2, 3)) * 9).astype('uint8')",
        "np.full((2, 3), 4, np.int16)",
        "np.zeros((2, 3), np.int8)",
        "np.array([[1, 2, 3]], 'uint8')",
    ],
)
def test_arrays_of_short_integers_are_known(array: str) -> None:
    assert_prints_the_same(
        f"{_HEAD}x = torch.from_numpy({array})\nprint(x.flip(-1).tolist(), x.max().item())\n"
    )


def test_sequences_that_are_no_lists_become_lists() -> None:
    assert_prints_the_same(_SEQUENCES)


_SEQUENCES = """
import array
from collections import deque

import torch

def made(values):
    return torch.tensor(values)

steps = range(2, 5)
for one in (torch.tensor(steps), torch.as_tensor(steps), torch.as_tensor(range(3)), made(range(2)),
            torch.as_tensor(range(3), dtype=torch.float32), torch.as_tensor(deque([1, 2])),
            torch.tensor(array.array("f", [1.0, 2.0]))):
    print(one.tolist())
"""


@pytest.mark.parametrize("written", ["torch.tensor(held.at)", "torch.as_tensor(held.at)"])
def test_a_sequence_of_unknown_kind_is_reported(written: str) -> None:
    text = f"import torch\ndef f(held):\n    return {written}\n"
    words = [one.message for one in workbench.convert(text, target=TARGET).findings]
    assert any("a range" in one and "list(...)" in one for one in words)
