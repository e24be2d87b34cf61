"""Two recorded loss curves: where they part, and whether rounding can be the reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.workbench.verify.forms import check_of
from workbench.errors import TorchferryError
from workbench.verify.result import Check
from workbench.verify.scripts.curves import verify_curves

LOSSES = [2.302585, 2.1, 1.95, 1.8123, 1.7, 1.65]


def held(folder: Path, ours: list[float], theirs: list[float]) -> Check:
    first, second = folder / "torch.json", folder / "paddle.csv"
    first.write_text(json.dumps(ours))
    rows = [f"{step},{loss:.6f}" for step, loss in enumerate(theirs)]
    second.write_text("\n".join(["step,loss", *rows]))
    (check,) = verify_curves(first, second).checks
    return check


def test_numbers_with_fewer_digits_agree(tmp_path: Path) -> None:
    losses = [loss + 3e-7 for loss in LOSSES]
    assert held(tmp_path, LOSSES, losses).outcome == "agrees"


def test_a_jump_names_its_step(tmp_path: Path) -> None:
    check = held(tmp_path, LOSSES, [*LOSSES[:3], 1.80, 1.69, 1.64])
    assert check.outcome == "differs"
    assert "agree up to step 3, and diverge abruptly in step 4, by 0.0123" in check.summary
    assert check.curves[0].parts == 4


def test_the_first_step(tmp_path: Path) -> None:
    check = held(tmp_path, LOSSES, [loss / 2 for loss in LOSSES])
    assert check.outcome == "differs"
    assert "in the first step" in check.summary


def test_a_slowly_growing_difference_may_be_rounding(tmp_path: Path) -> None:
    grown = [loss + 5e-7 * 5.0**step for step, loss in enumerate(LOSSES)]
    check = held(tmp_path, LOSSES, grown)
    assert check.outcome == "not run"
    assert "slowly" in check.summary


def test_few_digits_hide_little(tmp_path: Path) -> None:
    file = tmp_path / "torch.csv"
    file.write_text("2.30\n2.10\n1.95\n")
    other = tmp_path / "paddle.csv"
    other.write_text("2.30\n2.11\n1.80\n")
    assert "in step 3, by 0.15" in check_of(verify_curves(file, other), "losses of 3 steps").summary


def test_nan_is_a_difference(tmp_path: Path) -> None:
    check = held(tmp_path, LOSSES, [*LOSSES[:2], float("nan"), *LOSSES[3:]])
    assert check.outcome == "differs"
    assert "in step 3" in check.summary


@pytest.mark.parametrize("text", ["", "step\n", '{"accuracy": [1]}', "loss\nhigh\n"])
def test_a_file_without_losses(text: str, tmp_path: Path) -> None:
    file = tmp_path / ("a.json" if text.startswith("{") else "a.csv")
    file.write_text(text)
    with pytest.raises(TorchferryError, match=r"no losses; give a list of numbers"):
        verify_curves(file, file)
