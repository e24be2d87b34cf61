"""Functions of floats in plain Paddle: the text, and that it computes the same."""

from __future__ import annotations

import pytest

from workbench.convert.conversion import convert
from workbench.proof.cases import prove_case
from workbench.targets import PLAIN, load

TARGET = load("paddle", PLAIN)

LINES = [
    ("x.topk(2, 1, True, True)", "x.topk(2, 1, True, True)"),
    ("torch.allclose(x, x + 1e-9, atol=1e-5)", "paddle.allclose(x, x + 1e-9, atol=1e-5).item()"),
    ("torch.isclose(x, y)", "paddle.isclose(x, y)"),
    ("torch.sign(x)", "paddle.sign(x)"),
    ("x.logsumexp(dim=1)", "paddle.logsumexp(x, 1)"),
    ("torch.remainder(x, 2)", "x % 2"),
    ("torch.bitwise_and(x > 0, y > 0)", "paddle.bitwise_and(x > 0, y > 0)"),
    ("torch.nan_to_num(x)", "paddle.nan_to_num(x)"),
    ("torch.addmm(x, x, y, beta=0.5)", "paddle.addmm(x, x, y, beta=0.5)"),
    ("torch.baddbmm(x[0], x[None], y[None])", "x[0] + paddle.bmm(x[None], y[None])"),
    ("torch.baddbmm(x[0, 0], x[None], y[None], beta=0)", "paddle.bmm(x[None], y[None])"),
    (
        "x.baddbmm(x[None], y[None], beta=0.5, alpha=2)",
        "0.5 * x + 2 * paddle.bmm(x[None], y[None])",
    ),
    ("torch.diff(x, dim=0)", "paddle.diff(x, axis=0)"),
    ("torch.linalg.norm(x, dim=-1)", "paddle.linalg.vector_norm(x, 2, -1)"),
    ("x.new_tensor([1, 2])", "paddle.tensor([1, 2], dtype=x.dtype)"),
    ("torch.FloatTensor(u)", 'paddle.FloatTensor(u).astype("float32")'),
    ("torch.LongTensor(u)", 'paddle.LongTensor(u).astype("int64")'),
    (
        "F.kl_div(x, y, reduction='batchmean')",
        "paddle.sum(y * (y.clip(min=1e-37).log() - x)) / len(y)",
    ),
]


def _program(line: str) -> str:
    return (
        "import torch\nimport torch.nn.functional as F\n\n\ndef f(u):\n"
        "    x = torch.tensor([[1.0, -2.0, 0.5], [0.25, 3.0, -0.75], [2.0, 1.5, 0.1]])\n"
        "    y = torch.tensor([[0.5, 2.0, 1.0], [4.0, 1.0, 0.5], [1.0, 0.5, 2.0]])\n"
        f"    r = {line}\n    return r\n"
    )


@pytest.mark.parametrize(("line", "plain"), LINES)
def test_a_function_is_written_as_paddle_has_it(line: str, plain: str) -> None:
    written = convert(_program(line), target=TARGET)
    assert not written.helpers
    assert f"    r = {plain}\n" in written.code


@pytest.mark.parametrize("line", [line for line, _ in LINES])
def test_a_function_computes_the_same(line: str) -> None:
    source = _program(line) + "r = f([1, 2])\n"
    assert prove_case("torch.ones", source, target=TARGET).problem is None


@pytest.mark.parametrize("kind", ["Float", "Long"])
def test_a_tensor_of_an_array_has_its_own_dtype(kind: str) -> None:
    source = f"import numpy as np\n{_program(f'torch.{kind}Tensor(u)')}"
    for dtype in ("float32", "float64", "int32", "int64"):
        made = source + f"r = f(np.array([1, 2], dtype='{dtype}'))\n"
        assert prove_case("torch.ones", made, target=TARGET).problem is None


def test_numbers_are_drawn_by_paddles_own_function() -> None:
    code = convert(_program("torch.normal(0, 1, size=(2, 3))"), target=TARGET).code
    assert "r = paddle.normal(0, 1, (2, 3))" in code


def test_draws_around_tensors_have_no_gradients() -> None:
    assert "torch_normal" in convert(_program("torch.normal(x, y)"), target=TARGET).code


def test_a_shape_gives_a_tensor_of_this_shape() -> None:
    code = convert(_program("torch.FloatTensor(x.shape)"), target=TARGET).code
    assert "torch_legacy_tensor" in code
