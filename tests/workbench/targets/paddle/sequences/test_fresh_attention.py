"""New weights of attention layers: what torch sets to zeros is zeros."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import TARGET, assert_prints_the_same, converted

_HEAD = "import torch\nfrom torch import nn\n"
_NET = (
    f"{_HEAD}class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        {}\n    def forward(self, x):\n        return {}(x, x, x)[0]\n"
    "print({}.out_proj.bias.abs().sum().item())\n"
)


@pytest.mark.parametrize(
    ("made", "member"),
    [
        ("self.attn = nn.MultiheadAttention(8, 2)", "attn"),
        ("self.attn = nn.MultiheadAttention(8, 2, kdim=4, vdim=4)", "attn"),
        ("self.parts = nn.Sequential(nn.ReLU(), nn.MultiheadAttention(8, 2))", "parts[1]"),
    ],
)
def test_a_new_bias_of_attention_is_zeros(made: str, member: str) -> None:
    code = assert_prints_the_same(_NET.format(made, f"self.{member}", f"Net().{member}"))
    assert code.count("zeros_") == 1


@pytest.mark.parametrize("given", ["bias=False", "bias=False, dropout=0.5, batch_first=True"])
def test_attention_without_a_bias_sets_none(given: str) -> None:
    assert "zeros_" not in converted(f"{_HEAD}attn = nn.MultiheadAttention(8, 2, {given})\n")


@pytest.mark.parametrize(
    "text",
    [
        "def f(b):\n    attn = nn.MultiheadAttention(8, 2, bias=b)\n    return attn\n",
        "def f(n):\n    return [nn.MultiheadAttention(8, 2) for _ in range(n)]\n",
        "kinds = {'attention': nn.MultiheadAttention}\n",
    ],
)
def test_a_bias_that_is_not_set_is_reported(text: str) -> None:
    found = workbench.convert(_HEAD + text, target=TARGET)
    assert any("`out_proj.bias` is drawn in Paddle" in one.message for one in found.findings)
    assert "zeros_" not in found.code
