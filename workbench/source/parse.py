"""Python text to a tree, even while the text is half typed.

The tree's positions are positions in the text as given. Where the text does not parse, single
lines give way to stand-ins of the same line count, so that every other line keeps its own.
"""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass, field

from workbench.positions import Lines, Position
from workbench.source.problem import SyntaxProblem, describe

__all__ = ["Good", "Parsed", "SyntaxProblem", "parse"]


@dataclass(frozen=True, slots=True)
class Good:
    """A text that parsed entirely, and its tree."""

    text: str
    tree: ast.Module


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text and the best tree that it has.

    `tree` holds positions of `text`. The lines in `masked` (0-based) are those whose text the
    tree does not represent: it has a stand-in there or nothing, so nothing found in them counts.
    """

    text: str
    lines: Lines
    tree: ast.Module
    error: SyntaxProblem | None
    masked: frozenset[int]
    good: Good | None
    source: str = field(repr=False)  # what the tree was made from: `text` with its stand-ins


def parse(text: str, previous: Parsed | None = None) -> Parsed:
    """Parse a text, whatever is in it; `previous` is how the document parsed before this edit."""
    lines = Lines(text)
    try:
        tree = read(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as failure:
        error = describe(failure, lines)
    else:
        return Parsed(text, lines, tree, None, frozenset(), Good(text, tree), text)
    good = previous.good if previous else None
    return Parsed(
        text, lines, ast.Module([], []), error, frozenset(range(len(lines))), good, ""
    )


def read(text: str) -> ast.Module:
    """`ast.parse`, without its warnings about the user's code."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)
