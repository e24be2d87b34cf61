"""Positions in a text: lines and columns, in several units.

Columns are code points, as in a Python string. `ast` counts UTF-8 bytes and editors count UTF-16
units; `Lines` converts between the three.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

# str.splitlines would also split at \f, \x1c or \u2028, unlike Python's grammar.
_NEWLINE = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place between two characters: 0-based line, 0-based column in code points."""

    line: int
    column: int


@dataclass(frozen=True, slots=True, order=True)
class Range:
    """The text from `start` to `end`, excluding `end`."""

    start: Position
    end: Position

    def __contains__(self, other: object) -> bool:
        if isinstance(other, Position):
            return self.start <= other <= self.end
        return isinstance(other, Range) and self.start <= other.start and other.end <= self.end

    def overlaps(self, other: Range) -> bool:
        """Return whether the two share a character or touch."""
        return self.start <= other.end and other.start <= self.end


def split(text: str) -> list[str]:
    """Return the lines of a text without their endings, split as in Python's grammar."""
    return _NEWLINE.split(text) if "\r" in text else text.split("\n")


class Lines:
    """The lines of a text, with conversions between offsets, columns, bytes and UTF-16 units."""

    def __init__(self, text: str) -> None:
        self.text = text
        if "\r" in text:
            self._starts = [0, *(match.end() for match in _NEWLINE.finditer(text))]
        else:
            lengths = (len(line) + 1 for line in text.split("\n"))
            self._starts = list(accumulate(lengths, initial=0))[:-1]
        self._ascii = text.isascii()

    def __len__(self) -> int:
        return len(self._starts)

    @cached_property
    def newline(self) -> str:
        """The text's line ending, that of its first line if it mixes several."""
        match = _NEWLINE.search(self.text)
        return match.group() if match else "\n"

    def start(self, line: int) -> int:
        """Return the offset of the first character of a line, or of the text's end after the last
        line.
        """
        return self._starts[line] if line < len(self._starts) else len(self.text)

    def line(self, line: int) -> str:
        """Return a line without its ending."""
        return self.text[self.start(line) : self.start(line + 1)].rstrip("\r\n")

    def offset(self, position: Position) -> int:
        """Return the offset of a position; a column after the line's end is that end."""
        start = self.start(position.line)
        return min(start + position.column, start + len(self.line(position.line)))

    def position(self, offset: int) -> Position:
        """Return the position of an offset in the text."""
        line = bisect_right(self._starts, offset) - 1
        return Position(line, offset - self._starts[line])

    def position_of_bytes(self, line: int, utf8_column: int) -> Position:
        """Return the position of `ast`'s (line, col_offset), with a 0-based line."""
        if self._ascii:
            return Position(line, utf8_column)
        return self.position(self.offset_of_bytes(line, utf8_column))

    def offset_of_bytes(self, line: int, utf8_column: int) -> int:
        """Return the offset of `ast`'s (line, col_offset), with a 0-based line."""
        start = self._starts[line]
        if self._ascii:
            return start + utf8_column
        head = self.text[start : start + utf8_column].encode(errors="surrogatepass")
        return start + len(head[:utf8_column].decode(errors="ignore"))

    def utf16(self, position: Position) -> int:
        """Return the column of a position in UTF-16 units."""
        if self._ascii:
            return position.column
        start = self.start(position.line)
        head = self.text[start : start + position.column]
        return len(head.encode("utf-16-le", "surrogatepass")) // 2

    def from_utf16(self, line: int, units: int) -> Position:
        """Return the position of a column in UTF-16 units."""
        if self._ascii:
            return Position(line, units)
        head = self.line(line).encode("utf-16-le", "surrogatepass")[: 2 * units]
        place = Position(line, len(head.decode("utf-16-le", "surrogatepass")))
        # A place between the halves of a character is before it.
        return Position(line, place.column - 1) if self.utf16(place) > units else place

    def range(self, start: int, end: int) -> Range:
        """Return the range between two offsets."""
        return Range(self.position(start), self.position(end))
