"""Recovery of a broken text from its structure: quotes, indentation, headers.

The text is divided into blocks and statements as far as it does not parse, and only the failing
parts are completed or replaced. Each level of division costs about one parse of the failing part,
so the whole costs a few parses of the text, however many errors it has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.source.parsing.indents import align
from workbench.source.parsing.logical_lines import (
    CLAUSES,
    logical_lines,
    logical_lines_after,
    margin,
)
from workbench.source.parsing.quotes import settle
from workbench.source.parsing.read import parses
from workbench.source.parsing.repair import completed, header_alone, parses_alone
from workbench.source.parsing.spans import reach

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping, Sequence

    from workbench.source.parsing.logical_lines import Logical

_DECORATED = {"@", "def", "class", "async"}


@dataclass(frozen=True, slots=True)
class Memory:
    """Results of a recovery, reused for the next text, most of whose lines are equal."""

    lines: Sequence[str]
    logical: Sequence[Logical]
    settled: Sequence[str]
    settled_logical: Sequence[Logical]
    parsed: Mapping[str, bool]


_NOTHING = Memory((), (), (), (), {})


def memory_of(lines: Sequence[str], tree: ast.Module) -> Memory:
    """Return the memory for the first edit that breaks a text: its statements parse one by one."""
    spans = [(-1, -1), *map(reach, tree.body), (len(lines), len(lines))]
    parsed = {
        "\n".join(["", *lines[first : last + 1]]): True
        for (_, before), (first, last), (after, _) in zip(spans, spans[1:], spans[2:], strict=False)
        if before < first and last < after and not lines[first][:1].isspace()
    }
    return Memory((), (), (), (), parsed)


def recover(lines: Sequence[str], memory: Memory | None = None) -> tuple[list[str], Memory]:
    """Return the lines with placeholders for those that keep the text from parsing, and a memory.

    The memory of another text saves time without changing the result.
    """
    memory = memory or _NOTHING
    logical = logical_lines_after(lines, memory.lines, memory.logical)
    settled, settled_logical = memory.settled, memory.settled_logical
    mended, spans = list(lines), logical
    for line in logical:
        if (header := header_alone(lines[line.start])) is not None:
            mended[line.start] = header
    open_quotes = any(line.open_quote for line in logical)
    if open_quotes:
        mended = settle(mended)
    if open_quotes or mended != lines:
        spans = logical_lines_after(mended, settled, settled_logical)
        settled, settled_logical = tuple(mended), spans
    recovery = _Recovery(mended, memory.parsed)
    recovery.block(align(mended, spans), 0, "if 1:")
    return mended, Memory(lines, logical, settled, settled_logical, recovery.parsed)


def salvaged(lines: Sequence[str]) -> list[str]:
    """Return the lines without the top-level statements that do not parse by themselves."""
    kept = list(lines)
    for item in _items(logical_lines(lines), 0):
        start, stop = item[0].start, item[-1].stop
        if item[0].indent or not parses(lines[start:stop]):
            kept[start:stop] = [""] * (stop - start)
    return kept


class _Recovery:
    def __init__(self, lines: list[str], known: Mapping[str, bool]) -> None:
        self.lines = lines
        self.known = known
        self.parsed: dict[str, bool] = {}

    def block(self, logical: list[Logical], base: int, above: str) -> None:
        """Repair consecutive statements at depth `base`, and their suites.

        `above` is a header that they can follow.
        """
        for item in _items(logical, base):
            if not self._parses(item, above):
                self._item(item, base, above)

    def _parses(self, item: Sequence[Logical], above: str) -> bool:
        frame = above if item[0].indent else ""
        text = "\n".join([frame, *self.lines[item[0].start : item[-1].stop]])
        if text not in self.parsed:
            self.parsed[text] = self.known[text] if text in self.known else parses([text])
        return self.parsed[text]

    def _item(self, item: list[Logical], base: int, above: str) -> None:
        """Repair one statement: each of its headers, and each suite below one."""
        if above.startswith("match") and item[0].word != "case":
            self._blank(item)
            return
        heads = [number for number, line in enumerate(item) if line.indent == base]
        skeleton: list[str] = []
        for number, following in zip(heads, [*heads[1:], len(item)], strict=True):
            head, suite = item[number], item[number + 1 : following]
            matching = head.word == "match" and suite and suite[0].word == "case"
            if not number and (head.word in CLAUSES or (head.word == "@" and len(heads) == 1)):
                self._mask(head, bool(suite))  # there is nothing that it could belong to
            else:
                self._head(head, bool(suite))
            skeleton += self.lines[head.start : head.stop]
            if suite:
                self._suite(suite, "match 0:" if matching else "if 1:")
                space = margin(self.lines[head.start])
                skeleton.append(space + (" case _: pass" if matching else " pass"))
        if not parses([above if item[0].indent else "", *skeleton]):
            self._flatten([item[number] for number in heads], item)

    def _suite(self, suite: list[Logical], above: str) -> None:
        if self._parses(suite, above):
            return
        base = suite[0].indent
        self.block(suite, base, above)
        if not any(self.lines[line.start] for line in suite):
            filler = "case _: pass" if above.startswith("match") else "pass"
            self.lines[suite[0].start] = " " * base + filler

    def _head(self, head: Logical, suite: bool) -> None:
        """Repair one header or simple statement."""
        lines = self.lines[head.start : head.stop]
        if parses_alone(lines, suite=suite):
            return
        for at in dict.fromkeys((len(lines) - 1, 0)):
            if mended := completed(lines, at, suite=suite):
                self.lines[head.start : head.stop] = mended
                return
        self._mask(head, suite)

    def _mask(self, head: Logical, suite: bool) -> None:
        opening = "match 0:" if head.word == "match" else "if 1:"
        stand_in = margin(self.lines[head.start]) + (opening if suite else "pass")
        self.lines[head.start : head.stop] = [stand_in, *[""] * (head.stop - head.start - 1)]

    def _flatten(self, heads: list[Logical], item: list[Logical]) -> None:
        """Replace headers that do not fit together (`try` without `except`) by conditions."""
        starts = {line.start for line in item}
        for head, following in zip(heads, [*heads[1:], None], strict=True):
            stop = following.start if following else item[-1].stop
            self._mask(head, any(head.start < start < stop for start in starts))

    def _blank(self, item: Sequence[Logical]) -> None:
        for line in item:
            self.lines[line.start : line.stop] = [""] * (line.stop - line.start)


def _items(logical: Sequence[Logical], base: int) -> list[list[Logical]]:
    """Return the statements with all their clauses, decorators and suites."""
    items: list[list[Logical]] = []
    decorated = compound = False
    for line in logical:
        joined = (line.word in CLAUSES and compound) or (decorated and line.word in _DECORATED)
        if not items or (line.indent <= base and not joined):
            items.append([])
        items[-1].append(line)
        if line.indent <= base:
            decorated = line.word == "@"
            compound = line.header
    return items
