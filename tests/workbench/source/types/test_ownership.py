"""Tensors that only one variable holds, so that rebinding it equals changing them."""

from __future__ import annotations

import pytest

from workbench.source.analysis import analyse
from workbench.source.uses import UseKind

HEAD = (
    "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
    "def f(a: torch.Tensor, b: torch.Tensor):\n"
)


def _makers(body: str) -> frozenset[str]:
    indented = "".join(f"    {line}\n" for line in body.splitlines())
    uses = analyse(HEAD + indented).uses
    changing = [use for use in uses if use.kind is UseKind.AUGMENTED or use.name.endswith("_")]
    return changing[-1].makers


@pytest.mark.parametrize(
    ("body", "maker"),
    [
        ("x = a / b\nx += 1", "div"),
        ("x: torch.Tensor = F.normalize(a)\nx *= b", "normalize"),
        ("x = a.exp()\nprint('🙂')\nx -= b", "exp"),
        ("x = a / b\nif b is not None:\n    x += b\nx *= 2", "div"),
        ("x = a / b\nfor c in range(3):\n    x += c", "div"),
        ("y = a\nx = a / b; x += 1", "div"),
        ("x = a\nx = x / b\nx += 1", "div"),
        ("x = a / b\nx.clamp_(0, 1)\nx.mul_(b)", "div"),
        ("x = a.norm(dim=-1)\nx += 1\nx.add_(1e-6)", "norm"),
        ("x = F.cross_entropy(a, b)\nx += 1", "cross_entropy"),
        ("layer = nn.MSELoss()\nx = layer(a, b)\nx += 1", "MSELoss"),
        ("x = nn.Linear(3, 3)(a)\nx += b", "Linear"),
        ("x = F.max_pool2d(a, 2)\nx += 1", "max_pool2d"),
        ("x = nn.AvgPool1d(2)(a)\nx.mul_(2)", "AvgPool1d"),
        ("try:\n    x = a - b\n    x += 1\nfinally:\n    pass", "sub"),
    ],
)
def test_it_was_made_right_before(body: str, maker: str) -> None:
    assert _makers(body) == {maker}


@pytest.mark.parametrize(
    "body",
    [
        "x = a\nx += 1",
        "x = a.view(-1)\nx += 1",
        "x = +a\nx += 1",
        "x = y = a / b\nx += 1",
        "x = a / b\ny = x\nx += 1",
        "x = a / b\nkept.append(x)\nx += 1",
        "x = a / b\ndef g():\n    return x\nx += 1",
        "x = a / b\nfor c in range(3):\n    x += c\n    kept.append(x)",
        "x = a / b\nwhile x.sum() < 9:\n    x += b",
        "for c in range(3):\n    a += c",
        "x = (y := a / b)\nx += 1",
        "x = F.dropout(a)\nx += 1",
        "layer = nn.Identity()\nx = layer(a)\nx += 1",
        "layer = nn.CrossEntropyLoss()\nx = layer(a, b)\nkept = [x]\nx += 1",
        "x = a / b\ny = x.mul_(2)\nx += 1",
        "x = a / b\nx.mul_(x)\nx += 1",
        "x = torch.ones(3, requires_grad=True)\nx += 1",
    ],
)
def test_others_may_hold_it(body: str) -> None:
    assert not _makers(body)


@pytest.mark.parametrize(
    ("body", "makers"),
    [
        ("x = a.sum()\nif a.ndim:\n    x = x / b\nx += 1", {"div", "sum"}),
        ("if a.ndim:\n    x = a / b\nelse:\n    x = a.exp()\nx += 1", {"div", "exp"}),
        (
            "x = a * b\nif a.ndim:\n    print(1)\nelif b.ndim:\n    x = x.exp()\nx += 1",
            {"mul", "exp"},
        ),
    ],
)
def test_branches_made_it(body: str, makers: set[str]) -> None:
    assert _makers(body) == makers


@pytest.mark.parametrize(
    "body",
    [
        "if a.ndim:\n    x = a / b\nx += 1",
        "x = a.sum()\nif a.ndim:\n    x = a\nx += 1",
        "x = a.sum()\nif a.ndim:\n    x = x / b\nelse:\n    kept.append(x)\nx += 1",
        "x = a.sum()\nif x > 0:\n    x = x / b\nx += 1",
        "x = a.sum()\nfor c in range(3):\n    x = x / b\nx += 1",
    ],
)
def test_a_branch_may_share_it(body: str) -> None:
    assert not _makers(body)
