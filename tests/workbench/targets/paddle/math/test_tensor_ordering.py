"""Places, order and changes of tensors in plain Paddle: the text, and that it computes the same."""

from __future__ import annotations

import pytest

from tests.workbench.targets.paddle.both_sides import assert_prints_the_same
from workbench.convert.conversion import convert
from workbench.proof.cases import prove_case
from workbench.targets import PLAIN, load

TARGET = load("paddle", PLAIN)

LINES = [
    ("r = torch.argmin(x, dim=1)", "r = paddle.argmin(x, dim=1)"),
    ("r = torch.argmax(x, axis=1)", "r = paddle.argmax(x, axis=1)"),
    ("r = torch.kthvalue(x, 2)[0]", "r = paddle.kthvalue(x, 2)[0]"),
    ("r = torch.logit(x.sigmoid(), eps=0.1)", "r = paddle.logit(x.sigmoid(), eps=0.1)"),
    (
        "r = x.new_empty(3, 1).bernoulli_(1.0)",
        "r = x.new_empty(3, 1).bernoulli_(1.0)",
    ),
    ("r = torch.median(x)", "r = paddle.median(x, mode='min')"),
    ("r = (x * y).median()", "r = paddle.median(x * y, mode='min')"),
    (
        "r = x.to(torch.float64, memory_format=torch.contiguous_format)",
        "r = x.to(paddle.float64)",
    ),
    ("r = torch.nonzero(x > 0, as_tuple=True)", "r = paddle.nonzero(x > 0, as_tuple=True)"),
    ("r = torch.atleast_2d(x)", "r = paddle.atleast_2d(x)"),
    ("r = torch.equal(x, x + 0)", "r = paddle.equal_all(x, x + 0).item()"),
    ("r = torch.inverse(x + 3)", "r = paddle.inverse(x + 3)"),
    ("r = i.unique()", "r = paddle.unique(i)"),
    (
        "_, r = torch.unique(i, return_inverse=True)",
        "_, r = paddle.unique(i, return_inverse=True)\n    r = r.reshape(i.shape)",
    ),
    ("x.abs_().sqrt_()\n    r = x", "x.abs_().sqrt_()\n    r = x"),
    ("r = x.clone().mul_(y).sign_()", "r = x.clone().mul_(y).sign()"),
    ("r = x[x > 0].pow_(2)", "r = x[x > 0].pow(2)"),
    ("x.data.mul_(1 - k)\n    r = x", "x.data.set_value(x.data * (1 - k))\n    r = x"),
    ("x.data.mul_(1 - decay)\n    r = x", "x.data.scale_(1 - decay)\n    r = x"),
    ("torch.max(x, y, out=x)\n    r = x", "paddle.maximum(x, y, out=x)\n    r = x"),
    (
        "x[(x > 0.5) | (x < -0.5)] = -float('inf')\n    r = x",
        "x[(x > 0.5) | (x < -0.5)] = -float('inf')\n    r = x",
    ),
    ("r = torch.zeros(3, 9).scatter_(1, i, 1)", "r = paddle.zeros(3, 9).scatter_(1, i, 1)"),
    (
        "n = torch.tensor(0)\n    n += torch.sum(i)\n    r = n",
        "n = paddle.tensor(0)\n    n += paddle.sum(i)\n    r = n",
    ),
]


def _program(line: str) -> str:
    return (
        "import torch\n\n\ndef f(decay, k):\n"
        "    x = torch.tensor([[1.0, -2.0, 0.5], [0.25, 3.0, -0.75], [2.0, 1.5, 0.1]])\n"
        "    y = torch.tensor([[0.5, 2.0, 1.0], [4.0, -1.0, 0.5], [1.0, 0.5, 2.0]])\n"
        f"    i = torch.tensor([[3, 1, 2], [0, 2, 1], [1, 8, 0]])\n    {line}\n    return r\n"
    )


@pytest.mark.parametrize(("line", "plain"), LINES)
def test_a_line_is_written_as_paddle_has_it(line: str, plain: str) -> None:
    written = convert(_program(line), target=TARGET)
    assert not written.helpers
    assert f"    {plain}\n    return r\n" in written.code


@pytest.mark.parametrize("line", [line for line, _ in LINES])
def test_written_code_computes_the_same(line: str) -> None:
    assert (
        prove_case("torch.ones", _program(line) + "r = f(0.25, 0.5)\n", target=TARGET).problem
        is None
    )


def test_a_copy_into_an_entry_of_a_state_names_no_part_of_a_tensor() -> None:
    source = (
        "import torch\n\n\ndef take(state, name: str, new: torch.Tensor):\n"
        "    state[f'{name}.weight'].copy_(new)\n"
    )
    assert "state[f'{name}.weight'].set_value(new)" in convert(source, target=TARGET).code


def test_an_argument_that_is_dropped_leaves_no_comma() -> None:
    code = convert("import torch\n\ntorch.sum(x, 1, out=y)\n", target=TARGET).code
    assert "paddle.sum(x, axis=1)" in code


@pytest.mark.parametrize(
    "made",
    [
        "torch.fft.fft(x)",
        "torch.fft.rfft(x.double(), dim=0)",
        "torch.complex(x, y)",
        "torch.polar(x, y)",
        "torch.view_as_complex(torch.stack([x, y], -1))",
        "torch.linalg.eigvals(x)",
        "x.to(torch.uint8)",
        "(x > 0).short()",
    ],
)
def test_tensors_that_paddle_cannot_compare_as_a_whole_are_compared(made: str) -> None:
    assert_prints_the_same(
        "import torch\n\nx = torch.tensor([[0.5, 2.0], [1.0, 4.0]])\ny = x.t() + 1\n"
        f"z = {made}\nprint(torch.equal(z, z.clone()), z.equal(z * 2), torch.equal(z, z[:1]))\n"
    )


def test_a_comparison_of_unknown_dtypes_is_reported() -> None:
    text = "import torch\n\n\ndef f(x):\n    return torch.equal(x.contiguous(), x.clone())\n"
    found = convert(text, target=TARGET).findings
    assert any("equal of complex tensors" in one.message for one in found)
