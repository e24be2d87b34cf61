"""Views of complex numbers as real ones, whose dimensions are moved before a backward pass."""

from __future__ import annotations

import pytest

from tests.workbench.targets.paddle.both_sides import assert_prints_the_same

_HEAD = (
    "import torch\nx = torch.arange(24.0).reshape(2, 3, 4).requires_grad_()\n"
    "z = torch.complex(x.sin(), x.cos())\n"
)
_SHOW = "(y * torch.arange(48.0).reshape(y.shape)).sum().backward()\nprint(x.grad.tolist())\n"


@pytest.mark.parametrize(
    "moved",
    [
        "y = torch.view_as_real(z).permute(0, 3, 1, 2)\n",
        "r = torch.view_as_real(z)\ny = r.transpose(1, 3)\n",
        "y = torch.view_as_real(z).movedim(-1, 0)\n",
        "y = torch.view_as_real(z)\n",
    ],
)
def test_a_gradient_passes_moved_dimensions(moved: str) -> None:
    assert_prints_the_same(_HEAD + moved + _SHOW)


def test_a_view_is_copied_only_where_dimensions_move() -> None:
    assert ".clone()" not in assert_prints_the_same(f"{_HEAD}y = torch.view_as_real(z)\n{_SHOW}")


@pytest.mark.parametrize(
    "write", ["torch.view_as_real(w).mul_(2.0)\n", "r = torch.view_as_real(w)\nr += 1\n"]
)
def test_a_view_that_is_written_to_stays_one(write: str) -> None:
    assert_prints_the_same(
        f"{_HEAD}w = z.detach().clone()\n{write}print(w.real.permute(2, 0, 1).tolist())\n"
    )
