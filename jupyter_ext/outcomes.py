"""The last outcome of each cell of the notebook on both sides, while the kernel lives."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jupyter_ext.display.output import Shown
    from workbench.compare.result import Comparison
    from workbench.compare.slices import Pairs

_MOST_HELD = 8
_kept: dict[str, Outcome] = {}
_held: OrderedDict[str, Pairs] = OrderedDict()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The text that a cell was run with, and what both sides made of it."""

    source: str
    shown: Shown


def keep(cell: str, source: str, comparison: Comparison, line_map: Sequence[int]) -> None:
    """Note the outcome of a cell's text with copies of its tensors, which the notebook may drop.

    The tensors of the last few cells are held, as many as fit.
    """
    from jupyter_ext.display.output import Shown
    from workbench.compare.slices import copies

    light = replace(
        comparison,
        torch=replace(comparison.torch, values={}, tensors={}),
        target=replace(comparison.target, values={}, tensors={}),
        findings=[replace(finding, make_fix=None) for finding in comparison.findings],
    )
    # The panel already has the code and the values.
    shown = Shown(light, line_map, ("findings",))
    _kept[cell] = Outcome(body(source), shown)
    _held[cell] = copies(comparison)
    _held.move_to_end(cell)
    while len(_held) > _MOST_HELD:
        _held.popitem(last=False)


def outcome_of(cell: str) -> Outcome | None:
    """Return a cell's last outcome, or None if it was not compared in this kernel."""
    return _kept.get(cell)


def tensors_of(cell: str) -> Pairs:
    """Return both values of the stored tensors of a cell, by the names of their rows."""
    return _held.get(cell, {})


def forget() -> None:
    """Forget every outcome."""
    _kept.clear()
    _held.clear()


def body(source: str) -> str:
    """Return a cell without the line of the magic and the lines around its code."""
    head, _, rest = source.partition("\n")
    return (rest if head.startswith("%%convert") else source).strip()
