"""A broken text made whole by its own structure alone: lines, indentation, headers.

The text is taken apart into blocks and statements as far as it does not parse, and only what fails
by itself is completed or gives way. Each level of the way down costs about one parse of the part
that fails, so the whole costs a few parses of the text, however many errors it has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.source.logical import is_blank, logical_lines, margin
from workbench.source.quotes import settle
from workbench.source.read import parses
from workbench.source.repair import completed, opens_suite, stands

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.source.logical import Logical

_CLAUSES = {"elif", "else", "except", "finally"}


def recover(lines: Sequence[str]) -> list[str]:
    """The lines with stand-ins for those that keep the text from parsing."""
    recovery = _Recovery(list(lines))
    recovery.mend()
    return recovery.lines


def salvaged(lines: Sequence[str]) -> list[str]:
    """The lines without those statements at the top level that do not parse by themselves."""
    kept = list(lines)
    for item in _items(logical_lines(lines), 0):
        start, stop = item[0].start, item[-1].stop
        if item[0].indent or not parses(lines[start:stop]):
            kept[start:stop] = [""] * (stop - start)
    return kept


class _Recovery:
    def __init__(self, lines: list[str]) -> None:
        self.lines = lines

    def mend(self) -> None:
        logical = logical_lines(self.lines)
        if any(line.open_quote for line in logical):
            self.lines = settle(self.lines).lines
            logical = logical_lines(self.lines)
        self._block(logical, 0, "if 1:")

    def _block(self, logical: list[Logical], base: int, above: str) -> None:
        """Mend statements that follow each other at depth `base`, and what is below them."""
        for item in _items(logical, base):
            if not self._parses(item, above):
                self._item(item, base, above)

    def _parses(self, item: Sequence[Logical], above: str) -> bool:
        frame = above if item[0].indent else ""
        return parses([frame, *self.lines[item[0].start : item[-1].stop]])

    def _item(self, item: list[Logical], base: int, above: str) -> None:
        """Mend one statement: each of its headers, and each suite below one."""
        if item[0].indent > base:  # deeper lines that nothing opens
            self._orphans(item, base, above)
            return
        if any(line.indent < base for line in item):
            self._blank(item)
            return
        heads = [number for number, line in enumerate(item) if line.indent == base]
        skeleton: list[str] = []
        for number, following in zip(heads, [*heads[1:], len(item)], strict=True):
            head, suite = item[number], item[number + 1 : following]
            suite = self._head(head, suite)
            inner = "match 0:" if head.word == "match" else "if 1:"
            space = margin(self.lines[head.start])
            skeleton += self.lines[head.start : head.stop]
            if suite:
                skeleton.append(space + (" case _: pass" if head.word == "match" else " pass"))
                if not self._parses(suite, inner):
                    self._block(suite, min(line.indent for line in suite), inner)
        if not parses([above if item[0].indent else "", *skeleton]):
            self._flatten([item[number] for number in heads], item)

    def _head(self, head: Logical, suite: list[Logical]) -> list[Logical]:
        """Mend one header or simple statement; the suite that it keeps."""
        lines = self.lines[head.start : head.stop]
        if stands(lines, suite=bool(suite)):
            return suite
        if suite and not head.header and not opens_suite(lines[0]) and stands(lines, suite=False):
            self._orphans(suite, head.indent, "if 1:")
            return []
        for at in dict.fromkeys((len(lines) - 1, 0)):
            if mended := completed(lines, at, suite=bool(suite)):
                self.lines[head.start : head.stop] = mended
                return suite
        self._mask(head, suite)
        return suite

    def _mask(self, head: Logical, suite: Sequence[Logical]) -> None:
        filler = "if 1:" if suite else "pass"
        space = margin(self.lines[head.start])
        self.lines[head.start : head.stop] = [space + filler, *[""] * (head.stop - head.start - 1)]

    def _orphans(self, item: list[Logical], base: int, above: str) -> None:
        """Lines deeper than what is above them: hung under a blank line, else left out."""
        number = item[0].start - 1
        depth = min(line.indent for line in item)
        if number >= 0 and is_blank(self.lines[number]) and depth == item[0].indent:
            self.lines[number] = " " * base + "if 1:"
            if not self._parses(item, "if 1:"):
                self._block(item, depth, "if 1:")
            return
        self._blank(item)

    def _blank(self, item: Sequence[Logical]) -> None:
        for line in item:
            for number in range(line.start, line.stop):
                self.lines[number] = ""

    def _flatten(self, heads: list[Logical], item: list[Logical]) -> None:
        """Headers that do not go together (`try` without `except`): each a condition of its own."""
        below = {line.start for line in item}
        for head, following in zip(heads, [*heads[1:], None], strict=True):
            stop = following.start if following else item[-1].stop
            suite = any(head.start < start < stop for start in below)
            self._mask(head, item[:1] if suite else [])


def _items(logical: Sequence[Logical], base: int) -> list[list[Logical]]:
    """Statements with all their clauses, decorators and suites."""
    items: list[list[Logical]] = []
    decorated = False
    for line in logical:
        clause = line.word in _CLAUSES and bool(items)
        if not items or (line.indent <= base and not clause and not decorated):
            items.append([])
        items[-1].append(line)
        if line.indent <= base:
            decorated = line.word == "@"
    return items
