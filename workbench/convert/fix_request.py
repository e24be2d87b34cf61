"""Input of the fixes of one text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workbench.convert.decide.planner import Plan
from workbench.convert.imports.helper_modules import HelperImport
from workbench.findings import Edit
from workbench.source.analysis import Analysis
from workbench.targets import Target

Ask = Callable[[], HelperImport | None]


def no_module() -> None:
    """Return None: there is no module to import helpers from."""


@dataclass(frozen=True, slots=True)
class FixRequest:
    """The decided uses of a text, and where their fixes are written.

    Attributes:
        analysis: the program.
        plans: the plans of all its uses.
        target: the target.
        ask: returns the module that helpers may be imported from.
        first: nothing is inserted before this line; the cell of a notebook starts here.
        move: translates an edit of the program into the text that the fix is for.
        moves: whether statements may move to functions; the cells of a notebook keep theirs.
    """

    analysis: Analysis
    plans: list[Plan]
    target: Target
    ask: Ask = no_module
    first: int = 0
    move: Callable[[Edit], Edit] = lambda edit: edit
    moves: bool = True
