"""A map from the text of a whole notebook back to its cells."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.findings import Edit
from workbench.positions import Lines, Position, Range
from workbench.source.parsing.notebook import PYTHON_CELLS

_CELL_MAGIC = re.compile(r"%%(\S*)")


@dataclass(frozen=True, slots=True)
class Joined:
    """Cells that are converted as one text.

    Attributes:
        sources: their texts, with their magics.
        firsts: the line of the whole that each begins on.
    """

    sources: Sequence[str]
    firsts: Sequence[int]

    def at(self, line: int) -> int:
        """Return the index of the cell that a line of the whole is in."""
        return max(bisect_right(self.firsts, line) - 1, 0)

    def place(self, edit: Edit) -> tuple[int, Edit] | None:
        """Return the index of the cell that an edit of the whole is in, and the edit within it.

        None for an edit of several cells.
        """
        start, end = edit.range.start, edit.range.end
        index = self.at(start.line)
        first = self.firsts[index]
        if edit.text and start == end == Position(first, 0):
            return self._at_start(index, edit.text)
        lines = Lines(self.sources[index])
        last = lines.position(len(lines.text))
        begin = Position(start.line - first, start.column)
        stop = Position(end.line - first, end.column)
        if stop == Position(last.line + 1, 0):
            # Whole lines up to the cell's end, if the last one has no line ending.
            return index, Edit(Range(min(begin, last), last), edit.text.removesuffix("\n"))
        return (index, Edit(Range(begin, stop), edit.text)) if stop.line <= last.line else None

    def _at_start(self, index: int, text: str) -> tuple[int, Edit]:
        """Return the cell and the edit for an insertion between two cells.

        Imports and helpers go to the end of the cell with the imports, not above a magic or the
        code of the next one. A comment belongs to the line that it is above.
        """
        comment = text.lstrip().startswith("#")
        before = [n for n in range(index) if runs_python(self.sources[n])]
        if before and not comment:
            lines = Lines(self.sources[before[-1]])
            end = lines.position(len(lines.text))
            glue = lines.newline if end.column else ""
            return before[-1], Edit(Range(end, end), glue + text.rstrip("\r\n"))
        while not runs_python(self.sources[index]) and index + 1 < len(self.sources):
            index += 1
        body = Position(header(self.sources[index]), 0)
        return index, Edit(Range(body, body), text)


def runs_python(source: str) -> bool:
    """Return False for a cell under a magic that runs another language."""
    for line in source.splitlines():
        if magic := _CELL_MAGIC.match(line):
            return magic[1] in PYTHON_CELLS
        if line.strip():
            break
    return True


def header(source: str) -> int:
    """Return the number of lines above the Python of a cell that begins with a magic."""
    for count, line in enumerate(source.splitlines()):
        if line.startswith("%%"):
            return count + 1
        if line.strip():
            break
    return 0
