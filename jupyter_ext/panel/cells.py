"""The kernel's copy of a notebook's code cells, kept up to date by changes only.

A notebook may have hundreds of cells while a person types in one, so sending all of them with every
keystroke would be wasteful.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Cells:
    """Code cells by their ids, in the notebook's order."""

    def __init__(self) -> None:
        self.order: list[str] = []
        self.sources: dict[str, str] = {}

    def change(self, order: Sequence[str] | None, sources: Mapping[str, str]) -> None:
        """Take over new sources, and the new order where it changed (which drops lost cells)."""
        self.sources.update(sources)
        if order is not None:
            self.order = list(order)
            self.sources = {cell: self.sources.get(cell, "") for cell in self.order}

    def earlier(self, cell: str) -> list[str]:
        """Return the sources of the cells before one."""
        return [self.sources[other] for other in self.order[: self._place(cell)]]

    def apart(self, cell: str) -> tuple[str, list[str]]:
        """Return the source of one cell, and those of all others, nearest after it first."""
        place = self._place(cell)
        others = self.order[place + 1 :] + self.order[:place][::-1]
        return self.sources[cell], [self.sources[other] for other in others]

    def _place(self, cell: str) -> int:
        try:
            return self.order.index(cell)
        except ValueError:
            raise ValueError(f"the notebook has no code cell {cell}") from None
