"""Tensors that are passed where torch takes an integer: sizes, dimensions, counts."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import TARGET, assert_prints_the_same

_TENSORS = """import torch
import torch.nn.functional as F
x = torch.arange(24.0).reshape(1, 2, 3, 4)
n, m = torch.tensor([2]), torch.tensor(3)
"""


@pytest.mark.frameworks
@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("x.view(n, -1)", "x.view(n.item(), -1)"),
        ("x.view(1, m - 1, -1)", "x.view(1, (m - 1).item(), -1)"),
        ("x.transpose(m - 3, 3)", "x.transpose((m - 3).item(), 3)"),
        ("x.narrow(-m + 5, 0, n)", "x.narrow(-m + 5, 0, n.item())"),
        ("x.expand(m, -1, -1, -1)", "x.expand(m.item(), -1, -1, -1)"),
        ("x.unsqueeze(m)", "x.unsqueeze(m)"),
        ("x.new_zeros(n, m)", "x.new_zeros(n.item(), m.item())"),
        ("torch.randperm(n)", "paddle.randperm(n.item())"),
        ("torch.zeros([n, m])", "paddle.zeros([n, m])"),
        ("x.view(size=(n, -1))", "x.view(size=(n.item(), -1))"),
        ("x.view(x.shape[:2] + (m, 4))", "x.view(x.shape[:2] + (m.item(), 4))"),
        ("x.view(*x.shape[:2], m, n * 2)", "x.view(*x.shape[:2], m.item(), (n * 2).item())"),
        ("x.sum(3 if len(x) else m)", "x.sum(3 if len(x) else m.item())"),
        ("x.view(x[0, 0, 0].argmax() - 1, -1)", "x.view((x[0, 0, 0].argmax() - 1).item(), -1)"),
        ("F.interpolate(x, size=[m, n])", "F.interpolate(x, size=[m.item(), n.item()])"),
        ("torch.nn.Linear(n + 2, 5)(x)", "Linear((n + 2).item(), 5"),
    ],
)
def test_a_tensor_becomes_an_integer(written: str, expected: str) -> None:
    assert expected in assert_prints_the_same(f"{_TENSORS}print(list(({written}).shape))\n")


@pytest.mark.frameworks
def test_a_call_of_torch_becomes_an_integer_after_its_own_conversion() -> None:
    text = f"""{_TENSORS}
def padded(x, lengths):
    return (
        x
        .expand(torch.amax(lengths), -1, -1, -1)
        .reshape(lengths.max(), -1)
    )

print(list(padded(x, torch.tensor([1, 4])).shape))
"""
    code = assert_prints_the_same(text)
    assert ".expand(paddle.amax(lengths).item(), -1, -1, -1)\n" in code
    assert ".reshape(lengths.max().item(), -1)\n" in code


@pytest.mark.frameworks
def test_a_subclass_passes_a_tensor_to_its_layer() -> None:
    text = f"""{_TENSORS}
class Same(torch.nn.Conv2d):
    def __init__(self, n):
        super().__init__(n, n, 3, padding=n - 1)

print(list(Same(n)(x).shape))
"""
    code = assert_prints_the_same(text)
    assert "super().__init__(n.item(), n.item(), 3, padding=(n - 1).item()" in code


@pytest.mark.frameworks
def test_new_weights_of_a_layer_are_drawn_by_its_number_of_inputs() -> None:
    text = f"""{_TENSORS}
class Net(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = torch.nn.Linear(n, 50)
    def forward(self, x):
        return self.fc(x)

net = Net(n)
print(net(torch.ones(1, 2)).shape[1], bool(0.2 < net.fc.weight.std() < 0.6))
"""
    assert "Linear(n.item(), 50)" in assert_prints_the_same(text)


@pytest.mark.parametrize(
    "lines",
    [
        "def f(x, h, w):\n    return x.view(h, w, -1)\n",
        "def f(x):\n    b, c, h, w = x.shape\n    return x.view(b * c, -1).expand(-1, x.size(0))\n",
        "class Net(torch.nn.Module):\n    def forward(self, x, size):\n"
        "        return F.interpolate(x.view(size), size=size)\n",
        "class Net(torch.nn.Module):\n    def __init__(self, encoder: torch.nn.Module):\n"
        "        self.encoder = encoder\n    def forward(self, x: torch.Tensor):\n"
        "        x, sizes = self.encoder(x)\n        return x.view(sizes[0], -1)\n",
        "def f(x):\n    return x.max(x.dim() - 1), x.sum(x.ndim - 1), x.unsqueeze(len(x))\n",
    ],
)
def test_integers_of_any_kind_stay_without_a_finding(lines: str) -> None:
    conversion = workbench.convert(_TENSORS + lines, target=TARGET)
    assert ".item()" not in conversion.code
    assert not any(".item()" in one.message for one in conversion.findings)


@pytest.mark.parametrize(
    "lines",
    [
        "def f(k):\n    return x.view(k, -1)\nf(n), f(2)\n",
        "def f(k):\n    return x.view(k, -1)\nf(2), f(n)\n",
        "k = 2\nfor _ in range(2):\n    y = x.view(k, -1)\n    k = n\n",
        "f = lambda k: x.view(k, -1)\nf(2), f(n)\n",
        "sizes = [n, m]\ny = F.interpolate(x, size=sizes)\n",
    ],
)
def test_what_may_be_a_tensor_is_reported(lines: str) -> None:
    conversion = workbench.convert(_TENSORS + lines, target=TARGET)
    assert ".item()" not in conversion.code
    assert any("write `.item()` behind it" in one.message for one in conversion.findings)


def test_another_call_may_pass_something_unknown() -> None:
    text = f"{_TENSORS}import sys\ndef f(k):\n    return x.view(k, -1)\nf(n), f(sys.argv[0])\n"
    assert ".item()" not in workbench.convert(text, target=TARGET).code
