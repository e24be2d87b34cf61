"""Sums, products and lengths along dimensions, and tensors of values that are not known."""

from __future__ import annotations

import pytest

from workbench.convert.conversion import check, convert
from workbench.proof.cases import prove_case
from workbench.targets import PLAIN, load

TARGET = load("paddle", PLAIN)

# A line, how it is written in plain Paddle, and the line with values that prove it.
PLAINLY = [
    ("torch.trace(x)", "paddle.trace(x)", "torch.trace(x)"),
    ("torch.quantile(x, 0.5, dim=1)", "paddle.quantile(x, 0.5, axis=1)", ""),
    ("torch.cumprod(x, dim=0)", "paddle.cumprod(x, dim=0)", ""),
    ("(x > 0).cumsum(dim=-1)", '(x > 0).astype("int64").cumsum(axis=-1)', ""),
    ("torch.lerp(x, y, 0.3)", "paddle.lerp(x, y, 0.3)", ""),
    ("x.lerp(y, u)", "x + u * (y - x)", "x.lerp(y, x.sigmoid())"),
    ("torch.norm(x, dim=u)", "paddle.linalg.vector_norm(x, axis=u)", "torch.norm(x, dim=0)"),
    (
        "x.norm(dim=(0, 1), keepdim=True)",
        "paddle.linalg.vector_norm(x, axis=(0, 1), keepdim=True)",
        "",
    ),
    (
        "F.normalize(x, dim=u)",
        "paddle.nn.functional.normalize(x, axis=u)",
        "F.normalize(x, dim=-1)",
    ),
    (
        "F.normalize(x, dim=-1, eps=1e-8)",
        "paddle.nn.functional.normalize(x, axis=-1, epsilon=1e-8)",
        "",
    ),
    (
        "F.normalize(x, dim=1, eps=1e-3)",
        "x / paddle.linalg.vector_norm(x, 2, 1, keepdim=True).clip(min=1e-3)",
        "(F.normalize(w, dim=1, eps=0.1) ** 3).sum().backward()\ng = w.grad",
    ),
    ("torch.full((2,), u)", "paddle.tensor(u).expand((2,))", "torch.full((2,), len('abc'))"),
    ("torch.tensor(u)", "paddle.tensor(u)", ""),
    (
        'torch.div(x - u, u, rounding_mode="floor") + 1',
        "(x - u) // u + 1",
        "torch.div(i - 5, 2, rounding_mode='floor') + 1",
    ),
    ("torch.tensor(u, dtype=torch.long)", "paddle.tensor(u, dtype=paddle.int64)", ""),
]
KEPT = [
    "torch.quantile(x, u)",  # a tensor of places, maybe
    "x.norm('nuc')",
    "torch.tensor(range(3))",
]


def _written(line: str, first: str = "") -> str:
    source = (
        f"{first}import torch\nimport torch.nn.functional as F\n\n\ndef f(u):\n"
        f"    x = torch.randn(3, 4)\n    y = torch.randn(3, 4)\n    r = {line}\n"
    )
    last = convert(source, target=TARGET).code.splitlines()[-1].strip()
    return last.removeprefix("r = ").replace("F.", "paddle.nn.functional.")


@pytest.mark.parametrize(("line", "plain", "case"), PLAINLY)
def test_a_call_is_written_as_paddle_has_it(line: str, plain: str, case: str) -> None:
    assert _written(line) == plain


@pytest.mark.parametrize("case", [case or line for line, _, case in PLAINLY])
def test_what_is_written_computes_the_same(case: str) -> None:
    if "(u" in case:  # of the test's own argument
        return
    assert prove_case("torch.norm", case, target=TARGET).problem is None


@pytest.mark.parametrize("line", KEPT)
def test_what_paddle_computes_otherwise_keeps_its_helper(line: str) -> None:
    assert "torch_" in _written(line)


def test_a_list_of_numpys_numbers_keeps_its_width() -> None:
    line = "torch.tensor([np.float64(0.5), np.mean(u)])"
    assert _written(line, "import numpy as np\n").startswith("torch_tensor")


def test_what_may_hold_numpys_numbers_is_told() -> None:
    source = "import numpy as np\nimport torch\n\n\ndef f(u):\n    return torch.tensor(u)\n"
    assert "TF117" in {one.code for one in check(source)}
    assert "TF117" not in {one.code for one in check(source.replace("import numpy as np\n", ""))}


def test_a_tensor_that_is_taken_as_one_keeps_its_gradients() -> None:
    written = _written("torch.as_tensor(u).sum()")
    assert written == "(u if paddle.is_tensor(u) else paddle.tensor(u)).sum()"
