"""Indices of no positions after a slice, whose dimensions Paddle orders in another way."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import TARGET, assert_prints_the_same
from workbench.targets import load

_HEAD = "import torch\nx = torch.arange(24.).reshape(2, 3, 4)\n"
_SHOWN = "print(list(y.shape))\n"


@pytest.mark.parametrize("index", [":, []", ":, ()", "..., []", ":, 1:, []", "[]", "[], 0"])
def test_a_written_list_without_positions_is_a_slice(index: str) -> None:
    assert_prints_the_same(f"{_HEAD}y = x[{index}]\n{_SHOWN}")


@pytest.mark.parametrize("index", [":, []", "[]", "[], :1"])
def test_nothing_is_written_to_no_positions(index: str) -> None:
    assert_prints_the_same(f"{_HEAD}x[{index}] = 5.0\nprint(x.sum().item())\n")


@pytest.mark.parametrize(
    "index",
    [
        "keep = []\ny = x[:, keep]\n",
        "keep = [i for i in range(3) if i > 5]\ny = x[..., keep]\n",
        "y = x[:, torch.nonzero(x[0, :, 0] < 0)[:, 0]]\n",
        "at = range(0)\ny = x[:, at, 0]\n",
    ],
)
def test_lists_and_results_of_searches_are_reported_and_exact_where_that_is_asked(
    index: str,
) -> None:
    found = workbench.convert(_HEAD + index, target=TARGET).findings
    assert any(one.code == "TF119" and "no positions" in one.message for one in found)
    exact = workbench.convert(_HEAD + index, target=load("paddle", "exact")).code
    ours: dict[str, object] = {}
    theirs: dict[str, object] = {}
    exec(_HEAD + index, ours)
    exec(exact, theirs)
    assert list(theirs["y"].shape) == list(ours["y"].shape)  # type: ignore[attr-defined]


@pytest.mark.parametrize("index", [":, [0, 2]", ":, x[0, :, 0] > 1", "x[:, 0, 0] > 1"])
def test_positions_and_masks_are_not_reported(index: str) -> None:
    found = workbench.convert(f"{_HEAD}y = x[{index}]\n", target=TARGET).findings
    assert not any("no positions" in one.message for one in found)
