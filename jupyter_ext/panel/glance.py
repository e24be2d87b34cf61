"""How far each cell of the notebook is: what it came to, and what of it stays torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.compare.result import Outcome
from workbench.convert.notebook.notebook_files import Cell, Notebook, convert_notebook

from ..outcomes import body, outcome_of
from ..own_rules import project_rules, target_here
from .helpers import helper_import, put_helpers
from .look import Places, look

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .cells import Cells

Json = dict[str, Any]
_ALARMS = ("different", "raised-alone", "raised")


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of converting a text: whether it changes, how many uses stay, or the problem."""

    changes: bool
    remaining: int
    problem: str = ""


class Glance:
    """The states of cells; a text is converted once."""

    def __init__(self) -> None:
        self._read: dict[str, tuple[tuple[str, str, str | None], Reading]] = {}

    def at(
        self,
        cells: Cells,
        cell: str,
        names: Mapping[str, object],
        target: str,
        style: str | None,
    ) -> Json:
        """Return the state of one cell, for the panel."""
        source = cells.sources[cell]
        key = (source, target, style)
        known, reading = self._read.get(cell, (None, None))
        if reading is None or known != key:
            seen = look(cells, cell, names, target, style)
            problem = seen.problem["message"] if seen.problem else ""
            reading = Reading(not problem and seen.changes, seen.remaining, problem)
            self._read[cell] = key, reading
        return state_of(cell, source, reading)


def state_of(cell: str, source: str, reading: Reading) -> Json:
    """Return a cell's state in one word, its sentence, and the figures of its last comparison."""
    known = outcome_of(cell)
    facts = known.shown.facts() if known else {}
    state, sentence = "open" if reading.changes else "plain", ""
    now = state
    if facts:
        state, sentence = facts["outcome"], facts["headline"]
        if now == "plain" and state == Outcome.UNCHECKED and not facts["values"]:
            state = now  # it is the same code on both sides, and has no value to check
    if reading.problem:
        state, sentence = "unreadable", reading.problem
    elif known and known.source != body(source) and now == "plain":
        state, sentence, facts = now, "", {}  # the cell has changed since the comparison
    elif known and known.source != body(source):
        state, sentence = (
            "stale",
            (f"The cell has changed since it ran. The outcome then: {sentence}"),
        )
    elif reading.remaining and state not in _ALARMS:
        stay = (
            ("1 use of torch is not converted")
            if reading.remaining == 1
            else f"{reading.remaining} uses stay"
        )
        state, sentence = "unconverted", f"{stay}. {sentence}".strip()
    return {
        "cell": cell,
        "state": state,
        "said": sentence,
        "difference": facts.get("max_rel"),
        "torchSeconds": facts.get("torch_seconds"),
        "targetSeconds": facts.get("target_seconds"),
    }


def conversions(cells: Cells, target: str, style: str | None) -> list[Json]:
    """Return the edits that convert the whole notebook in place, by cell, each cell's last first.

    The helper module in the kernel's folder gets the helpers that they import.

    Raises:
        TorchferryError: a cell does not parse, or would not once converted.
    """
    aim = target_here(target, project_rules(), style)
    found = [Cell(number, cells.sources[cell], {}) for number, cell in enumerate(cells.order, 1)]
    notebook = Notebook("", {"cells": []}, found, True)
    whole = convert_notebook(notebook, aim, "this notebook", helper_import=helper_import())
    if whole.whole.helpers_from:
        put_helpers(whole.whole.helpers, aim)
    done = whole.cells
    result = []
    for cell, (_, conversion) in zip(cells.order, done, strict=True):
        source = cells.sources[cell]
        if conversion.edits:
            edits = Places(source).edits(conversion.edits)
            result.append({"cell": cell, "source": source, "edits": edits})
    return result
