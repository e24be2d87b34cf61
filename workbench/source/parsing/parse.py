"""Parsing of Python text, even while the text is incomplete.

The tree's positions are positions in the given text. If the text does not parse, single lines are
replaced by placeholders, line for line, so that every other line keeps its position.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.positions import Lines, split
from workbench.source.parsing.incremental import Known, reread
from workbench.source.parsing.read import FAILURES, STRANGE, read, readable
from workbench.source.parsing.recover import Memory, memory_of, recover, salvaged
from workbench.source.parsing.spans import reach, statement_lines
from workbench.source.parsing.syntax_message import SyntaxProblem, describe, describe_character

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator

__all__ = ["Parsed", "SyntaxProblem", "parse"]


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text and its best tree.

    `tree` has positions of `text`. The lines in `masked` (0-based) are those that the tree does not
    represent: it has a placeholder or nothing there. They comprise whole statements and headers, so
    a statement outside them is in the tree as in the text.
    """

    text: str
    lines: Lines
    tree: ast.Module = field(repr=False)
    error: SyntaxProblem | None
    masked: frozenset[int]
    source: str = field(repr=False)  # the parsed text, with its placeholders
    memory: Memory | None = field(default=None, repr=False)  # saves time with the next text


def parse(text: str, previous: Parsed | None = None) -> Parsed:
    """Parse a text, whatever it contains; `previous` is the document's result before this edit.

    That saves time without changing the result. If lines are added or removed, nodes of `previous`
    move too, so it must not be used again.
    """
    if previous is not None and previous.text == text:
        return previous
    lines = Lines(text)
    source = readable(text)
    written = split(source)
    known = Known(split(previous.source), previous.tree) if previous else None
    memory = previous.memory if previous else None
    strange = list(STRANGE.finditer(text)) if source != text else []
    try:
        tree = reread(written, known)
    except FAILURES:
        return _mended(text, lines, written, strange, known, memory)
    if strange:
        error = describe_character(strange[0][0], lines.position(strange[0].start()))
        masked = _affected(tree, (lines.position(at.start()).line for at in strange))
        return Parsed(text, lines, tree, error, masked, source, memory)
    return Parsed(text, lines, tree, None, frozenset(), source, memory)


def _mended(
    text: str,
    lines: Lines,
    broken: list[str],
    strange: list[re.Match[str]],
    known: Known | None,
    memory: Memory | None,
) -> Parsed:
    """Return the text with placeholders, since it does not parse without."""
    if memory is None and known is not None and len(known.lines) == len(broken):
        memory = memory_of(known.lines, known.tree)
    recovered, memory = recover(broken, memory)
    tree, whole = ast.Module([], []), [""] * len(broken)
    for attempt in _attempts(broken, recovered):
        try:
            tree = reread(attempt, known)
        except FAILURES:
            continue
        whole = attempt
        break
    changed = [number for number, line in enumerate(broken) if line != whole[number]]
    near = min(changed, default=0)
    changed += (lines.position(at.start()).line for at in strange)
    if strange:
        error = describe_character(strange[0][0], lines.position(strange[0].start()))
    else:
        error = describe(_failure(broken, near, tree), lines, near)
    masked = _affected(tree, changed)
    return Parsed(text, lines, tree, error, masked, "\n".join(whole), memory)


def _attempts(broken: list[str], recovered: list[str]) -> Iterator[list[str]]:
    """Yield versions of a broken text, likeliest first; the last ones are most likely to parse."""
    yield recovered
    yield salvaged(recovered)
    yield salvaged(broken)


def _failure(broken: list[str], near: int, tree: ast.Module) -> BaseException:
    """Return the first failure between the statements around a line.

    `tree` has the statements of the repaired text. Parsing all of a text is slower than repairing
    it.
    """
    spans = [reach(statement) for statement in tree.body]
    start = max((last + 1 for _, last in spans if last < near), default=0)
    stop = min((first for first, _ in spans if first > near), default=len(broken))
    for first, end in ((start, stop), (start, len(broken)), (0, len(broken))):
        try:
            read("\n" * first + "\n".join(broken[first:end]))
        except FAILURES as failure:
            return failure
    raise AssertionError("the text parses after all")


def _affected(tree: ast.Module, changed: Iterable[int]) -> frozenset[int]:
    """Return the changed lines, each with the whole statement or header that it belongs to."""
    masked = set(changed)
    for first, last in list(statement_lines(tree, masked)):
        masked.update(range(first, last + 1))
    return frozenset(masked)
