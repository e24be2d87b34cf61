"""Functions of einx, which has no backend for Paddle, and which JAX has."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import assert_prints_the_same

HEAD = """\
import torch
{imports}
x = torch.linspace(-1.0, 2.0, 24).reshape(2, 3, 4).requires_grad_()
w = torch.linspace(0.1, 1.0, 6).reshape(2, 3).requires_grad_()
book = torch.linspace(0.0, 3.0, 15).reshape(5, 3).requires_grad_()
ids = torch.tensor([[0, 4, 2], [3, 3, 1]])
"""


def _head(written: str) -> str:
    """Return the head with the imports that a call needs."""
    imports = {
        "einx.": "import einx\n",
        "choose": "from einx import where as choose\n",
        "get_at": "from einx import get_at\n",
    }
    [needed] = [line for name, line in imports.items() if written.startswith(name)]
    return HEAD.replace("{imports}", needed)


@pytest.mark.parametrize(
    "written",
    [
        "einx.multiply('b n, b n d -> b n d', w, x)",
        "einx.multiply('b n, b n d', w, x)",
        "choose('b n, b n d, -> b n d', w > 0.5, x, 0.0)",
        "choose('b ..., b ... d, -> b ... d', w > 0.5, x, 0.0)",
        "einx.subtract('b n, m -> b (n m)', w, w[0])",
        "einx.add('(b n) d, n -> b n d', x.reshape(6, 4), w[0], n=3)",
        "get_at('[c] d, b n -> b n d', book, ids)",
        "einx.get_at('b [c] d, b n -> n d b', x, ids.clamp(max=2))",
        "einx.add('... j, ... j k -> ... (j k)', w, x)",
    ],
)
def test_values_and_gradients_are_those_of_einx(written: str) -> None:
    code = assert_prints_the_same(
        f"{_head(written)}y = {written}\nprint(list(y.shape), y.tolist())\n"
        "y.square().sum().backward()\n"
        "print([None if one.grad is None else one.grad.tolist() for one in (x, w, book)])\n"
    )
    assert "import einx" not in code
    assert "from einx" not in code


@pytest.mark.parametrize(
    "written",
    ["einx.sum('b [n]', w)", "einx.add(pattern, w, w)", "get_at('[c h] d, b n [2]', book, ids)"],
)
def test_what_is_left_is_refused_at_its_line(written: str) -> None:
    head = _head(written)
    result = workbench.convert(f"{head}pattern = 'a b, b'\ny = {written}\n")
    [finding] = result.unconverted
    assert "einx has no backend for Paddle" in finding.message
    assert finding.range.start.line == head.count("\n") + 1


def test_jax_keeps_them() -> None:
    written = "einx.add('b n, b n d', w, x)"
    code = workbench.convert(f"{_head(written)}y = {written}\n", target="jax").code
    assert "import einx" in code
    assert "y = einx.add('b n, b n d', w, x)" in code
