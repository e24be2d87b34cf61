"""Locations of code in a document: fenced blocks of Python, and examples with prompts."""

from __future__ import annotations

import ast
import doctest
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from markdown_it import MarkdownIt

from workbench.positions import Lines

_PYTHON = frozenset({"python", "py", "python3", "pycon"})
_PROMPT, _MORE = ">>> ", "... "


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive lines of code.

    Attributes:
        first: the line of the document (from 0) that they begin on.
        code: their text, without the prefix of each line in the document.
        prefixes: the prefixes, line by line.
        prompts: whether they are an example with prompts.
    """

    first: int
    code: str
    prefixes: tuple[str, ...]
    prompts: bool = False

    @property
    def last(self) -> int:
        """The last of its lines."""
        return self.first + len(self.prefixes) - 1

    @property
    def lines(self) -> list[str]:
        """The lines of its code."""
        return _lines(self.code)

    def written(self, code: str) -> list[str]:
        """Return the lines of the document that say something else in its place."""
        lines = _lines(code)
        start = self.prefixes[0]
        if not self.prompts:
            return [start + line if line else start.rstrip() for line in lines]
        start = start.removesuffix(_PROMPT)
        heads = {node.lineno for node in ast.parse(code).body}
        return [
            start + (_PROMPT if number in heads else _MORE) + line
            for number, line in enumerate(lines, start=1)
        ]


def in_markdown(text: str) -> list[Piece]:
    """Return the pieces of Python in a Markdown document; blocks that do not parse are left out."""
    return list(_fenced(lines_of(text), 0))


def in_docstrings(text: str, tree: ast.Module) -> list[Piece]:
    """Return the pieces in the docstrings of a file."""
    lines = lines_of(text)
    found: list[Piece] = []
    for node in ast.walk(tree):
        quoted = _docstring(node)
        if quoted is not None and quoted.end_lineno is not None:
            first = quoted.lineno  # text next to the quotes is not code
            inner = lines[first : quoted.end_lineno - 1]
            found += _prompted(inner, first)
            found += _fenced(textwrap.dedent("\n".join(inner)).split("\n"), first)
    placed = [_piece(one.first, one.code, lines, one.prompts) for one in found]
    return sorted(filter(None, placed), key=lambda piece: piece.first)


def _docstring(node: ast.AST) -> ast.Constant | None:
    """Return the docstring of a module, a class or a function."""
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    match node.body[:1]:
        case [ast.Expr(value=ast.Constant(value=str()) as quoted)]:
            return quoted
    return None


def lines_of(text: str) -> list[str]:
    """Return the lines of a text without their endings."""
    lines = Lines(text)
    return [lines.line(number) for number in range(len(lines))]


def _fenced(lines: Sequence[str], offset: int) -> Iterator[Piece]:
    for token in MarkdownIt().disable("inline").parse("\n".join(lines)):
        words = token.info.replace("{", " ").replace("}", " ").split()
        if token.type != "fence" or token.map is None or not words:
            continue
        if words[0].lower() not in _PYTHON:
            continue
        first, code = token.map[0] + 1, token.content
        if code.lstrip().startswith(_PROMPT):
            for one in _prompted(_lines(code), first):
                piece = _piece(one.first, one.code, lines, prompts=True)
                if piece is not None:
                    yield replace(piece, first=offset + one.first)
        elif (piece := _piece(first, code, lines)) is not None:
            yield replace(piece, first=offset + first)


def _prompted(lines: Sequence[str], offset: int) -> Iterator[Piece]:
    try:
        examples = doctest.DocTestParser().get_examples("\n".join([*lines, ""]))
    except ValueError:  # malformed prompts
        return
    for one in examples:
        piece = _piece(one.lineno, one.source, lines, prompts=True)
        if piece is not None:
            yield replace(piece, first=offset + one.lineno)


def _piece(first: int, code: str, lines: Sequence[str], prompts: bool = False) -> Piece | None:
    """Return the piece on some lines, or None if it is not code or differs from the text there."""
    own = _lines(code)
    there = lines[first : first + len(own)]
    as_is = len(there) == len(own) and all(map(str.endswith, there, own))
    if not code.strip() or not as_is or not _parses(code):
        return None
    prefixes = [line[: len(line) - len(part)] for line, part in zip(there, own, strict=True)]
    return Piece(first, code, tuple(prefixes), prompts)


def _lines(code: str) -> list[str]:
    return code.removesuffix("\n").split("\n")


def _parses(code: str) -> bool:
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
