"""Notebooks: their code cells are one program, and edits of it find their way back to the cells."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_server.workspace.documents import Document, Documents, Place, Program
from workbench.findings import Edit
from workbench.positions import Lines, Position, Range

if TYPE_CHECKING:
    from workbench.convert.notebook.placing import Joined

logger = logging.getLogger(__name__)


class NotebookProgram(Program):
    """The code cells of a notebook, in their order.

    `numbers` are theirs among all cells of the notebook, from 1.
    """

    numbers: Sequence[int] = ()
    _known: tuple[int, Lines, Joined] | None = None

    @classmethod
    def of_file(cls, uri: str, text: str) -> NotebookProgram:
        """Return a notebook that is not open; it has no cells if it is not in Python.

        Raises:
            TorchferryError: it is not a notebook.
        """
        from workbench.convert.notebook.notebook_files import read_notebook

        notebook = read_notebook(text, uri)
        cells = notebook.cells if notebook.is_python else []
        documents = [Document(f"{uri}#{cell.number}", "python", 0, cell.source) for cell in cells]
        program = cls(uri, documents)
        program.numbers = [cell.number for cell in cells]
        return program

    @property
    def is_python(self) -> bool:
        return True  # cells in other languages are left out

    @property
    def _joined(self) -> tuple[Lines, Joined]:
        """The whole text with masked magics, and the positions of the cells in it."""
        # A thread may join cells during an edit: its text is then of the earlier revision.
        revision, known = self.revision, self._known
        if known is None or known[0] != revision:
            known = self._known = (revision, *self._join())
        return known[1:]

    def _join(self) -> tuple[Lines, Joined]:
        from workbench.convert.notebook.placing import Joined
        from workbench.source.parsing.notebook import join_cells

        sources = [document.text for document in self.documents]
        text, starts = join_cells(sources)
        return Lines(text), Joined(sources, starts)

    @property
    def lines(self) -> Lines:
        return self._joined[0]

    def position(self, document: Document, place: Position) -> Position:
        first = self._joined[1].firsts[self.documents.index(document)]
        return Position(first + place.line, place.column)

    def locate(self, where: Range, text: str = "") -> Place | None:
        if not self.documents:
            return None
        placed = self._joined[1].place(Edit(where, text))
        if placed is None:
            return None
        index, edit = placed
        return Place(self.documents[index], edit.range, edit.text)


class Notebooks:
    """The notebooks that the client has open."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._cells: dict[str, list[types.NotebookCell]] = {}
        self._programs: dict[str, NotebookProgram] = {}

    def open(self, params: types.DidOpenNotebookDocumentParams) -> Program:
        """Take in a notebook with its cells."""
        uri = params.notebook_document.uri
        for item in params.cell_text_documents:
            self._documents.take(item)
        self._cells[uri] = list(params.notebook_document.cells)
        return self._arrange(uri)

    def change(
        self, params: types.DidChangeNotebookDocumentParams
    ) -> tuple[Program | None, list[str]]:
        """Apply changes; the program, None where it is not open, and the cells that are gone."""
        uri = params.notebook_document.uri
        if uri not in self._cells:
            logger.warning("Edits to %s were dropped: it is not open", uri)
            return None, []
        change = params.change.cells
        gone: list[str] = []
        if change and change.structure:
            gone = self._restructure(self._cells[uri], change.structure)
        for content in (change and change.text_content) or ():
            self._documents.change(content.document, content.changes)
        if change and (change.structure or change.data):
            for cell in change.data or ():
                self._cells[uri] = [
                    cell if known.document == cell.document else known for known in self._cells[uri]
                ]
        return self._arrange(uri), gone

    def close(self, params: types.DidCloseNotebookDocumentParams) -> Program | None:
        """Forget a notebook and its cells."""
        uri = params.notebook_document.uri
        self._cells.pop(uri, None)
        for document in params.cell_text_documents:
            self._documents.close(document.uri)
        return self._programs.pop(uri, None)

    def program(self, uri: str) -> NotebookProgram | None:
        """Return the program of an open notebook."""
        return self._programs.get(uri)

    def _restructure(
        self,
        cells: list[types.NotebookCell],
        structure: types.NotebookDocumentCellChangeStructure,
    ) -> list[str]:
        array = structure.array
        cells[array.start : array.start + array.delete_count] = array.cells or ()
        for item in structure.did_open or ():
            self._documents.take(item)
        gone = [document.uri for document in structure.did_close or ()]
        for uri in gone:
            self._documents.close(uri)
        return gone

    def _arrange(self, uri: str) -> NotebookProgram:
        """Return the program of a notebook's code cells as they are now."""
        numbered = self._code(self._cells.get(uri, ()))
        documents = [document for _, document in numbered]
        program = self._programs.get(uri)
        if program is None:
            program = self._programs[uri] = NotebookProgram(uri, documents)
        program.documents = documents
        program.numbers = [number for number, _ in numbered]
        program.touch()
        self._documents.tie(program)
        return program

    def _code(self, cells: Sequence[types.NotebookCell]) -> list[tuple[int, Document]]:
        found = [
            (number, self._documents.document(cell.document))
            for number, cell in enumerate(cells, 1)
            if cell.kind == types.NotebookCellKind.Code
        ]
        return [(number, one) for number, one in found if one and one.is_python]
