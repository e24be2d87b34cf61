"""Python text to a tree, even while the text is half typed.

The tree's positions are positions in the text as given. Where the text does not parse, single
lines give way to stand-ins, line for line, so that every other line keeps its own positions.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.positions import Lines, split
from workbench.source.parsing.incremental import Known, reread
from workbench.source.parsing.previous_parse import carried
from workbench.source.parsing.read import FAILURES, STRANGE, readable
from workbench.source.parsing.recover import recover, salvaged
from workbench.source.parsing.spans import statement_lines
from workbench.source.parsing.syntax_message import SyntaxProblem, describe, describe_character

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Parsed", "SyntaxProblem", "parse"]


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text and the best tree that it has.

    `tree` holds positions of `text`. The lines in `masked` (0-based) are those whose text the tree
    does not represent: it has a stand-in there or nothing. They come in whole statements and
    headers, so a statement on no masked line is in the tree as it is in the text.
    """

    text: str
    lines: Lines
    tree: ast.Module = field(repr=False)
    error: SyntaxProblem | None
    masked: frozenset[int]
    source: str = field(repr=False)  # what the tree was made from: the text with its stand-ins


def parse(text: str, previous: Parsed | None = None) -> Parsed:
    """Parse a text, whatever is in it; `previous` is how the document parsed before this edit.

    Where lines come or go, the nodes below move in `previous`, too: it is used up.
    """
    if previous is not None and previous.text == text:
        return previous
    lines = Lines(text)
    source = readable(text)
    written = split(source)
    known = Known(split(previous.source), previous.tree) if previous else None
    try:
        tree = reread(written, known)
    except FAILURES as failure:
        return _mended(text, lines, written, failure, previous, known)
    if source != text and (strange := STRANGE.search(text)):
        error = describe_character(strange[0], lines.position(strange.start()))
        masked = _affected(tree, (lines.position(at.start()).line for at in STRANGE.finditer(text)))
        return Parsed(text, lines, tree, error, masked, source)
    return Parsed(text, lines, tree, None, frozenset(), source)


def _mended(
    text: str,
    lines: Lines,
    broken: list[str],
    failure: BaseException,
    previous: Parsed | None,
    known: Known | None,
) -> Parsed:
    """The text with stand-ins, since it does not parse without."""
    tree, whole = ast.Module([], []), [""] * len(broken)
    for attempt in _attempts(broken, previous, known):
        try:
            tree = reread(attempt, known)
        except FAILURES:
            continue
        whole = attempt
        break
    changed = [number for number, line in enumerate(broken) if line != whole[number]]
    changed += (lines.position(at.start()).line for at in STRANGE.finditer(text))
    error = describe(failure, lines, min(changed, default=0))
    if strange := STRANGE.search(text):
        error = describe_character(strange[0], lines.position(strange.start()))
    masked = _affected(tree, changed)
    return Parsed(text, lines, tree, error, masked, "\n".join(whole))


def _attempts(
    broken: list[str], previous: Parsed | None, known: Known | None
) -> Iterator[list[str]]:
    """Readings of a broken text, likeliest first, the last ones sure to parse or to be dropped."""
    tried = broken
    if previous is not None and known is not None:
        before = split(readable(previous.text))
        for tried in carried(before, known.lines, previous.masked, known.tree, broken):
            yield tried
    else:
        tried = recover(broken)
        yield tried
    yield salvaged(tried)
    yield salvaged(broken)


def _affected(tree: ast.Module, changed: Iterable[int]) -> frozenset[int]:
    """The changed lines, each with the whole statement or header that it belongs to."""
    masked = set(changed)
    for first, last in list(statement_lines(tree, masked)):
        masked.update(range(first, last + 1))
    return frozenset(masked)
