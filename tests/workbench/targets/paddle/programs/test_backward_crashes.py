"""Calls whose backward pass may end Paddle's process: what is written instead."""

from __future__ import annotations

import pytest

from workbench.convert.conversion import convert
from workbench.proof.cases import prove_case
from workbench.targets import PLAIN, load

TARGET = load("paddle", PLAIN)
IMPORTS = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"


@pytest.mark.parametrize(
    ("pair", "floats", "written"),
    [
        ("v, k = x.topk(2)", "k.float()", "k.stop_gradient = True"),
        ("k = torch.topk(x, 2)", "k.indices / 2", "k[1].stop_gradient = True"),
        ("k = x.topk(2)[1]", "k * 0.5", "k = paddle.topk(x.detach(), 2)[1]"),
        (
            "k = x.topk(2).indices",
            "k.to(torch.float32)",
            "k = paddle.topk(x.detach(), 2).indices",
        ),
    ],
)
def test_places_that_become_floats_ask_for_no_gradients(
    pair: str, floats: str, written: str
) -> None:
    values = "torch.tensor([[3.0, 1.0, 2.0], [1.0, 4.0, 2.0]], requires_grad=True)"
    source = f"x = {values}\n{pair}\nr = {floats}\n"
    assert f"\n{written}\n" in convert(IMPORTS + source, target=TARGET).code
    proof = prove_case("torch.topk", source + "g = r.requires_grad\n", target=TARGET)
    assert proof.problem is None


def test_places_that_stay_whole_numbers_are_left_alone() -> None:
    source = f"{IMPORTS}x = torch.rand(3, 4)\nv, k = x.topk(2)\nr = x[0, k[0]] * v.float()\n"
    assert convert(source, target=TARGET).code.splitlines()[-2:] == source.splitlines()[-2:]


def test_places_that_become_floats_without_a_name_come_of_a_helper() -> None:
    source = f"{IMPORTS}x = torch.rand(3, 4)\nr = x.topk(2)[1].float()\n"
    assert "torch_topk(x, 2)[1].float()" in convert(source, target=TARGET).code


@pytest.mark.parametrize(
    ("made", "used", "plain"),
    [
        ("nn.Sequential(nn.Linear(3, 4), nn.PReLU())", "self.act(x)", True),
        ("nn.Sequential(nn.PReLU(), nn.Linear(3, 4))", "self.act(x)", False),
        ("nn.PReLU()", "self.act(self.first(x))", True),
        ("nn.PReLU()", "self.act(x)", False),
    ],
)
def test_prelu_is_native_where_its_input_is_computed(made: str, used: str, plain: bool) -> None:
    source = (
        f"{IMPORTS}class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        self.first = nn.Linear(3, 3)\n        self.act = {made}\n\n"
        f"    def forward(self, x):\n        return {used}\n"
    )
    assert ("TorchPReLU" not in convert(source, target=TARGET).code) is plain
    frozen = f"{source}\nNet().first.requires_grad_(False)\n"
    assert "TorchPReLU" in convert(frozen, target=TARGET).code


@pytest.mark.parametrize(("given", "plain"), [("x", False), ("x * w", True), ("f(x)", True)])
def test_the_function_prelu_is_native_where_its_input_is_computed(given: str, plain: bool) -> None:
    source = (
        f"{IMPORTS}w = torch.ones(1, requires_grad=True)\n"
        f"def g(f, x):\n    y = {given}\n    return F.prelu({'y' if 'w' in given else given}, w)\n"
    )
    assert ("torch_prelu" not in convert(source, target=TARGET).code) is plain
