"""Outcomes of a value or a cell: one closed set, with the same words everywhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

import jupyter_ext
from workbench.compare import Comparison, Row, Run, RunError
from workbench.compare.result import EXCEPTION, Outcome, headline

SAME = Row("x", (), "float32", 0.0, 0.0)
DRIFT = Row("w", (), "float32", 1e-3, 1e-3, reason="torch drifts", drift=1e-3)
APART = Row("y", same=False, reason="off")
UNCHECKED = Row("z", same=None, reason="not checked: a figure")
ALONE = Row("line 2", same=None, reason="has no conversion", converted=False)


def compared(
    *rows: Row,
    torch: bool = False,
    target: bool = False,
    ran: bool = True,
    notes: Sequence[str] = (),
) -> Comparison:
    runs = Run("torch"), Run("paddle")
    for run, raises in zip(runs, (torch, target), strict=True):
        run.error = RunError("ValueError", "no", 0) if raises else None
    return Comparison("x", "x", "paddle", *runs, rows=list(rows), notes=list(notes), ran=ran)


@pytest.mark.parametrize(
    ("comparison", "outcome", "beginning"),
    [
        (compared(SAME), Outcome.SAME, "Same: 1 value agrees"),
        (compared(SAME, UNCHECKED), Outcome.SAME, "Same: 1 of 2 values agrees, 1 not checked"),
        (compared(SAME, DRIFT), Outcome.DRIFT, "Within drift: 2 values agree"),
        (compared(SAME, APART, ALONE), Outcome.DIFFERENT, "Different: 1 of 3 differs"),
        (compared(SAME, ALONE), Outcome.UNCONVERTED, "Not converted: 1 statement ran in torch"),
        (compared(UNCHECKED), Outcome.UNCHECKED, "Not checked: a figure."),
        (compared(), Outcome.SAME, "Same: there is no value to compare."),
        (compared(notes=["f uses torch"]), Outcome.UNCHECKED, "Not checked: f uses torch."),
        (compared(ran=False), Outcome.UNCHECKED, "Not checked: converted to paddle, and not run."),
        (
            compared(Row(EXCEPTION, same=False, reason="only paddle raises"), target=True),
            Outcome.RAISED_ALONE,
            "Raised on one side: only paddle raises",
        ),
        (compared(Row(EXCEPTION), torch=True, target=True), Outcome.RAISED, "Raised on both: at"),
    ],
)
def test_a_cell_comes_to_one_of_them(
    comparison: Comparison, outcome: Outcome, beginning: str
) -> None:
    assert comparison.outcome is outcome
    assert headline(comparison).startswith(beginning)


def test_the_panel_has_the_same_words_and_signs() -> None:
    source = Path(jupyter_ext.__file__).parent / "labextension" / "src" / "overview" / "states.ts"
    found = re.findall(r"'?([\w-]+)'?: \{ word: '(.+?)', sign: '(.*?)'", source.read_text())
    panel = {state: (word, sign) for state, word, sign in found}
    assert {each.value: (each.word, each.sign) for each in Outcome}.items() <= panel.items()


def test_a_headline_names_what_is_further_apart_than_the_largest_difference() -> None:
    far = Row("v", (), "float32", 8.6e-4, 8.6e-4, reason="rounding alone moves it")
    near = Row("x", (), "float32", 4.6e-5, 4.6e-5)
    assert "largest relative difference 4.6e-05, 1 up to 8.6e-04" in headline(compared(near, far))
