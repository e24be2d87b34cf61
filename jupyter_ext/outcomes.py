"""What each cell of the notebook last came to on both sides, for as long as the kernel lives."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jupyter_ext.display.output import Shown
    from workbench.compare.result import Comparison

_kept: dict[str, Outcome] = {}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The text that a cell was run with, and what both sides made of it."""

    source: str
    shown: Shown


def keep(cell: str, source: str, comparison: Comparison, line_map: Sequence[int]) -> None:
    """Note what the text of a cell came to, but not its values: the notebook may drop those."""
    from jupyter_ext.display.output import Shown

    light = replace(
        comparison,
        torch=replace(comparison.torch, values={}),
        target=replace(comparison.target, values={}),
        findings=[replace(finding, make_fix=None) for finding in comparison.findings],
    )
    # The panel has the code already.
    shown = Shown(light, line_map, ("values", "findings"))
    _kept[cell] = Outcome(body(source), shown)


def outcome_of(cell: str) -> Outcome | None:
    """What a cell last came to; None where it has not been compared in this kernel."""
    return _kept.get(cell)


def forget() -> None:
    """Forget every outcome."""
    _kept.clear()


def body(source: str) -> str:
    """A cell without the line of the magic and the lines around its code."""
    head, _, rest = source.partition("\n")
    return (rest if head.startswith("%%convert") else source).strip()
