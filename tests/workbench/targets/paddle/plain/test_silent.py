"""What plain Paddle would do silently otherwise: what is written instead, and its values."""

from __future__ import annotations

import pytest

from workbench.convert.conversion import convert
from workbench.proof.cases import prove_case
from workbench.targets import PLAIN, load

TARGET = load("paddle", PLAIN)
LEAVES = "w = torch.ones(3, 4, requires_grad=True)\nv = torch.zeros(3, 4, requires_grad=True)\n"


def _converted(text: str) -> str:
    imports = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
    return convert(imports + text, target=TARGET).code


@pytest.mark.parametrize(
    "change",
    ["w *= 0.5", "w -= 0.1", "w /= w.norm()", "w += x; w -= 1"],
)
def test_a_leaf_that_is_changed_without_gradients_is_trained_on(change: str) -> None:
    case = (
        f"w = torch.ones(3, 4, requires_grad=True)\nwith torch.no_grad():\n    {change}\n"
        "(w * w).sum().backward()\nr = w.grad.detach(), w.requires_grad\n"
    )
    assert prove_case("torch.ones", case, target=TARGET).problem is None


def test_both_sides_of_a_divergence_are_trained() -> None:
    written = "F.kl_div(F.log_softmax(w, 1), F.softmax(v, 1), reduction='sum')"
    case = LEAVES.replace("ones", "rand") + f"loss = {written}"
    assert "torch_kl_div(" in _converted(case)
    case = f"u = x.clone().requires_grad_()\nv = y.clone().requires_grad_()\nloss = {written}\n"
    case = case.replace("(w", "(u") + "loss.backward()\nr = u.grad.detach(), v.grad.detach()\n"
    assert prove_case("torch.nn.functional.kl_div", case, target=TARGET).problem is None


def test_a_layer_of_divergence_is_native_where_targets_are_cut_off() -> None:
    layer = "loss = nn.KLDivLoss(reduction='batchmean')\n"
    assert "TorchKLDivLoss" in _converted(layer)
    assert "nn.KLDivLoss" in _converted(layer + "def f(a, b):\n    return loss(a, b.detach())\n")


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("F.kl_div(x, y.detach(), reduction='sum')", "F.kl_div(x, y.detach(), reduction='sum')"),
        ("torch.max(x, axis=1)", "paddle.compat.max(x, dim=1)"),
        ("torch.min(x, axis=1, keepdims=True)", "paddle.compat.min(x, dim=1, keepdim=True)"),
        ("torch.zeros(n.max(), 3)", "paddle.zeros([n.max(), 3])"),
        ("torch.zeros(n.max())", "paddle.zeros(n.max())"),
    ],
)
def test_the_line_that_is_written(line: str, plain: str) -> None:
    given = "x = torch.randn(3, 4)\ny = torch.randn(3, 4)\nn = torch.tensor([1, 2])\n"
    assert _converted(f"{given}r = {line}\n").splitlines()[-1] == f"r = {plain}"


@pytest.mark.parametrize(
    "case",
    [
        "torch.max(x, axis=1)",
        "torch.min(x, axis=0, keepdims=True)",
        "torch.zeros(n.max(), 3)",
        "torch.ones(n[0], n[0])",
    ],
)
def test_it_computes_the_same(case: str) -> None:
    assert prove_case("torch.max", case, target=TARGET).problem is None


@pytest.mark.parametrize(
    "filling",
    ["layer.weight.data.copy_(sq)", "with torch.no_grad():\n    layer.weight.copy_(sq)"],
)
def test_a_weight_that_is_copied_into_a_layer_keeps_its_layout(filling: str) -> None:
    case = f"layer = nn.Linear(4, 4)\n{filling}\nnn.init.zeros_(layer.bias)\n"
    case += "r = layer(x).detach()\ndel layer\n"
    assert prove_case("torch.nn.Linear", case, target=TARGET).problem is None
    assert "weight_attr" not in _converted(case)


def test_a_padding_row_that_is_filled_is_looked_up() -> None:
    case = (
        "layer = nn.Embedding(4, 3, padding_idx=0)\nfor one in layer.parameters():\n"
        "    nn.init.constant_(one, 0.5)\nr = layer(i).detach()\n"
    )
    assert prove_case("torch.nn.Embedding", case, target=TARGET).outcome == "equal"
    assert "padding_idx=0, weight_attr=" in _converted("e = nn.Embedding(4, 3, padding_idx=0)\n")
