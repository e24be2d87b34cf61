"""Indices with a `None` before lists and tensors, whose dimensions Paddle orders otherwise."""

from __future__ import annotations

import pytest

from tests.workbench.targets.paddle.both_sides import assert_prints_the_same

_HEAD = (
    "import torch\nx = torch.arange(12.0).reshape(3, 4)\n"
    "i, j = torch.tensor([1, 2, 0]), torch.tensor([0, 1, 3])\n"
)


@pytest.mark.parametrize(
    ("index", "plain"),
    [
        ("None, i", "x[i][None]"),
        ("None, [1, 2]", "x[[1, 2]][None]"),
        ("None, x > 5", "TorchPlaces"),
        ("i, None", "x[i, None]"),
        ("None, i.tolist()", "TorchPlaces"),
        ("None, i, j", "TorchPlaces"),
        ("i, None, j", "TorchPlaces"),
        ("None, i, None, j", "TorchPlaces"),
        ("None, :, j", "TorchPlaces"),
        ("..., None, j", "TorchPlaces"),
        ("None, 1, j", "TorchPlaces"),
        ("None, i, 1:", "TorchPlaces"),
    ],
)
def test_a_read_has_torchs_dimensions(index: str, plain: str) -> None:
    code = assert_prints_the_same(f"{_HEAD}r = x[{index}]\nprint(list(r.shape), r.tolist())\n")
    assert plain in code


@pytest.mark.parametrize("index", ["None, 0", "None, 1:, 2", "None, n", "None, :, None, ..."])
def test_a_read_of_numbers_and_slices_stays(index: str) -> None:
    code = assert_prints_the_same(f"{_HEAD}n = 2\nprint(list(x[{index}].shape))\n")
    assert f"x[{index}]" in code


def test_a_gradient_passes_a_read() -> None:
    assert_prints_the_same(
        f"{_HEAD}w = x.clone().requires_grad_()\n"
        "(w[None, i, j] * torch.ones(1, 3)).sum().backward()\nprint(w.grad.tolist())\n"
    )


@pytest.mark.parametrize(
    ("index", "value"),
    [
        ("None, i", "torch.ones(1, 3, 4)"),
        ("i, None, j", "-1.0"),
        ("i, None, j", "torch.tensor([[1.0], [2.0], [3.0]])"),
        ("None, i, j", "torch.tensor([[1.0, 2.0, 3.0]])"),
        (":, None, j", "torch.arange(9.0).reshape(3, 1, 3)"),
    ],
)
def test_a_write_goes_to_torchs_places(index: str, value: str) -> None:
    assert_prints_the_same(f"{_HEAD}x[{index}] = {value}\nprint(x.tolist())\n")


def test_an_added_number_goes_to_torchs_places() -> None:
    assert_prints_the_same(f"{_HEAD}x[None, i] += 1\nx[i, None, j] *= 2\nprint(x.tolist())\n")
