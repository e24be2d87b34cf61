"""Calls that a target takes as they stand: what a record of trials allows."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.convert.conversion import convert
from workbench.proof.same import rows_of
from workbench.proof.snippet import Result
from workbench.rules.forms import Forms
from workbench.rules.same import SameCalls
from workbench.targets import PLAIN, load

RECORD = {
    "torch.roll": {"t, i...": "f= l=", "t, shifts=i": "f= lx", "t, [i]": "fx", "t, dims=i": "f!"},
    "torch.flip": {"t, [i]": "f="},
    "torch.Tensor.roll": {"t, i": "f=", "copies": "="},
}


def _written(record: object, call: str, folder: Path, more: str = "") -> str:
    path = folder / "same.json"
    path.write_text(json.dumps(record), encoding="utf-8")
    target = load("paddle", PLAIN)
    same = SameCalls(path, target.counterparts, "3.0")
    head = "import torch\n\n\ndef f(k: torch.Tensor, n):\n    x = torch.sin(k)\n"
    source = f"{head}{more}    return {call}\n"
    code = convert(source, target=replace(target, forms=Forms([], same))).code
    return code.splitlines()[-1].removeprefix("    return ")


@pytest.mark.parametrize(
    ("call", "stays"),
    [
        ("torch.roll(x, 1, 0)", True),
        ("torch.roll(x, n, 0)", False),  # `n` may be a list
        ("torch.roll(x, shifts=1)", True),
        ("torch.roll(k, shifts=1)", False),  # silently something else for whole numbers
        ("torch.roll(x, [1])", False),
        ("torch.roll(x, n)", False),  # which may be a list
        ("torch.roll(x, **n)", False),
        ("torch.flip(x, [0])", True),
        ("x.roll(1)", True),
    ],
)
def test_a_call_stays_if_every_trial_of_its_shape_agreed(
    call: str, stays: bool, tmp_path: Path
) -> None:
    assert (_written(RECORD, call, tmp_path) == call.replace("torch.", "paddle.")) is stays


def test_parts_that_are_written_to_need_the_exact_form(tmp_path: Path) -> None:
    assert _written(RECORD, "x.roll(1)", tmp_path, "    x.add_(x)\n") != "x.roll(1)"


def test_the_record_is_not_read_before_it_is_asked() -> None:
    same = SameCalls(Path("nowhere.json"), {}, "3.0")
    with pytest.raises(FileNotFoundError):
        _ = same._rows


def test_trials_become_rows_by_layout_and_dtype() -> None:
    def trial(layout: list[str], dtypes: str, end: str) -> Result:
        return Result("torch.f", json.dumps([[layout, dtypes]]), "", "equal", f"{end} why")

    trials = [
        trial(["t", "i"], "f", "="),
        trial(["t", "i"], "f", "!"),
        trial(["t", "i"], "l", "!"),
        trial(["t", "i"], "b", "="),
        trial(["t", "i"], "b", "x"),
        trial(["t"], "f", "=copies"),
    ]
    assert rows_of(trials) == {"torch.f": {"copies": "=", "t": "f=", "t, i": "bx f? l!"}}
