"""The code in a document as one program, in order, with a map to positions in the document."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from workbench.convert.checking import check_analysis
from workbench.convert.examples.pieces import Piece, in_docstrings, in_markdown, lines_of
from workbench.convert.fixing import fix_together
from workbench.convert.imports.helper_modules import HelperImport
from workbench.findings import Edit, Finding, apply_edits
from workbench.positions import Lines, Position, Range
from workbench.source.analysis import analyse
from workbench.source.tree import imported_names
from workbench.targets import Target
from workbench.targets.helpers import MODULE as HELPERS

Judge = Callable[[list[Finding]], list[Finding]]


@dataclass(slots=True)
class Examples:
    """A document with the pieces of code in it.

    Attributes:
        text: the document.
        pieces: the code in it, in order.
        context: lines of the document before the code: a module's imports.
        found: the findings in the code, with positions in the document.
    """

    text: str
    pieces: list[Piece]
    context: list[tuple[int, str]] = field(default_factory=list)
    found: list[Finding] = field(default_factory=list)
    _edits: tuple[Edit, ...] = ()
    _program: str = ""
    _module: str = ""

    @classmethod
    def of_markdown(cls, text: str) -> Examples:
        """Return the examples of a Markdown document."""
        return cls(text, in_markdown(text))

    @classmethod
    def of_docstrings(cls, text: str, tree: ast.Module) -> Examples:
        """Return the examples in the docstrings of a file, whose imports apply to them."""
        pieces = in_docstrings(text, tree) if ">>> " in text or "```" in text else []
        lines = lines_of(text)
        context = [
            (number, lines[number])
            for node in tree.body
            if isinstance(node, ast.Import | ast.ImportFrom)
            for number in range(node.lineno - 1, node.end_lineno or node.lineno)
        ]
        return cls(text, pieces, context)

    def check(self, target: Target, judge: Judge) -> None:
        """Find the findings in them.

        Args:
            target: the target.
            judge: selects the findings.
        """
        if not self.pieces:
            return
        lines = [""] * len(Lines(self.text))
        for number, line in self.context:
            lines[number] = line
        for piece in self.pieces:
            lines[piece.first : piece.last + 1] = piece.lines
        self._program = "\n".join(lines) + "\n"
        analysis = analyse(self._program, facts=target.facts)
        helper_import = HelperImport(HELPERS, few_inline=False)
        found = judge(check_analysis(analysis, target=target, beside=lambda: helper_import))
        mine = [one for one in found if self._at(one.range.start) is not None]
        fix = fix_together(mine)
        # Helper functions would be longer than the document's own code.
        self._edits = fix.edits if fix and not fix.helpers else ()
        self._module = target.module
        self.found = [replace(one, range=self._moved(one.range), make_fix=None) for one in mine]

    def edits(self) -> list[Edit]:
        """Return the edits of the document that convert them, as far as they lie in its code."""
        by_piece: dict[int, list[Edit]] = {}
        for edit in self._edits:
            index = self._at(edit.range.start)
            if index is not None:
                by_piece.setdefault(index, []).append(edit)
        return [self._edit(self.pieces[index], edits) for index, edits in sorted(by_piece.items())]

    def fits(self, code: str) -> bool:
        """Return whether a module, once converted, binds what its examples then name."""
        program = apply_edits(self._program, self._edits)
        mine, held = (imported_names(ast.walk(ast.parse(text))) for text in (program, code))
        written = " ".join(edit.text for edit in self._edits)
        return all(
            held.get(name) == meaning or name not in written for name, meaning in mine.items()
        )

    def _edit(self, piece: Piece, edits: Iterable[Edit]) -> Edit:
        def own(place: Position) -> Position:
            return Position(place.line - piece.first, place.column)

        code = apply_edits(
            piece.code,
            [Edit(Range(own(one.range.start), own(one.range.end)), one.text) for one in edits],
        )
        if not code.strip():  # an import that the file already has, kept for the reader
            code = f"import {self._module}\n"
        lines = Lines(self.text)
        where = Range(Position(piece.first, 0), Position(piece.last, len(lines.line(piece.last))))
        return Edit(where, lines.newline.join(piece.written(code)))

    def _at(self, place: Position) -> int | None:
        """Return the piece that a place of the program is in."""
        for index, piece in enumerate(self.pieces):
            if piece.first <= place.line <= piece.last:
                return index
        return None

    def _moved(self, where: Range) -> Range:
        return Range(self._place(where.start), self._place(where.end))

    def _place(self, place: Position) -> Position:
        index = self._at(place)
        if index is None:
            return place
        piece = self.pieces[index]
        return Position(place.line, place.column + len(piece.prefixes[place.line - piece.first]))
