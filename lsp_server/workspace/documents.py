"""The open documents, and the programs they form: single files, and the cells of a notebook."""

from __future__ import annotations

import asyncio
import itertools
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_server.wire.encoding import Encoding
from lsp_server.workspace.addresses import name_key, path_of, same_file
from workbench.positions import Lines, Position, Range

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

logger = logging.getLogger(__name__)

# A number is never reused, even if a document is closed and opened again.
_revisions = itertools.count()


class Document:
    """A text that the client has open: a file, or one cell of a notebook."""

    def __init__(self, uri: str, language: str, version: int, text: str) -> None:
        self.uri = uri
        self.language = language
        self.version = version
        self.lines = Lines(text)

    @property
    def text(self) -> str:
        return self.lines.text

    @property
    def is_python(self) -> bool:
        return self.language == "python"

    def edit(self, changes: Iterable[types.TextDocumentContentChangeEvent], how: Encoding) -> None:
        """Apply changes in their order; each counts in the text that the one before it left."""
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                where = how.decode_range(self.lines, change.range)
                start, end = self.lines.offset(where.start), self.lines.offset(where.end)
                self.lines = Lines(self.text[:start] + change.text + self.text[end:])
            else:
                self.lines = Lines(change.text)


@dataclass(frozen=True)
class Place:
    """A location in one document of a program, and the text that belongs there."""

    document: Document
    range: Range
    text: str = ""


class Program:
    """Documents that are analysed as one text."""

    def __init__(self, uri: str, documents: Sequence[Document]) -> None:
        self.uri = uri
        self.documents = list(documents)
        self.revision = next(_revisions)
        self.turn = asyncio.Lock()  # held by a thread that works on it

    @property
    def size(self) -> int:
        """The number of characters."""
        return sum(len(document.text) for document in self.documents)

    @property
    def is_python(self) -> bool:
        return all(document.is_python for document in self.documents)

    @property
    def lines(self) -> Lines:
        """The whole text. Call `touch` after each change of a document."""
        return self.documents[0].lines

    @property
    def text(self) -> str:
        return self.lines.text

    def touch(self) -> None:
        """Begin a new revision: a document has changed."""
        self.revision = next(_revisions)

    def locate(self, where: Range, text: str = "") -> Place | None:
        """Return the document and the range in it, or None for a range across documents.

        `text` is the edit's new text, which may need another ending in a part of the program.
        """
        return Place(self.documents[0], where, text)

    def position(self, document: Document, place: Position) -> Position:
        """Return the program's position for a position in one of the documents."""
        return place

    def range(self, document: Document, where: Range) -> Range:
        """Return the program's range for a range in one of the documents."""
        return Range(self.position(document, where.start), self.position(document, where.end))


class Documents:
    """The documents that the client has open."""

    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding
        self._documents: dict[str, Document] = {}
        self._programs: dict[str, Program] = {}
        self._by_name: dict[str, list[str]] = {}  # addresses by the name of their file

    def document(self, uri: str) -> Document | None:
        """Return an open document, of whatever language."""
        return self._documents.get(uri)

    def at(self, file: Path) -> Document | None:
        """Return an open document by its file: clients write the address in several ways."""
        alike = self._by_name.get(name_key(file), ())
        found = (self._documents[uri] for uri in alike)
        return next((one for one in found if same_file(path_of(one.uri), file)), None)

    def every(self) -> list[Document]:
        """Return every open document, of whatever language."""
        return list(self._documents.values())

    def get(self, uri: str) -> tuple[Program, Document] | None:
        """Return an open document and its program, or None if it is not open or not Python."""
        program = self._programs.get(uri)
        return (program, self._documents[uri]) if program and program.is_python else None

    def holds(self, program: Program) -> bool:
        """Return whether a program is still open."""
        return program in self._programs.values()

    def programs(self) -> list[Program]:
        """Return every open program once."""
        return list(dict.fromkeys(self._programs.values()))

    def open(self, item: types.TextDocumentItem) -> Program:
        """Take in a document; one that is open already is replaced."""
        program = Program(item.uri, [self.take(item)])
        self._programs[item.uri] = program
        return program

    def take(self, item: types.TextDocumentItem) -> Document:
        """Take in a document that a program is yet to be made of."""
        document = Document(item.uri, item.language_id, item.version, item.text)
        if item.uri not in self._documents and (file := path_of(item.uri)) is not None:
            self._by_name.setdefault(name_key(file), []).append(item.uri)
        self._documents[item.uri] = document
        self._programs.pop(item.uri, None)
        return document

    def tie(self, program: Program) -> None:
        """Make a program the one that its documents belong to, and those that it let go do not."""
        self._programs = {uri: one for uri, one in self._programs.items() if one is not program}
        for document in program.documents:
            self._programs[document.uri] = program

    def change(
        self,
        which: types.VersionedTextDocumentIdentifier,
        changes: Iterable[types.TextDocumentContentChangeEvent],
    ) -> Program | None:
        """Apply edits; None where the document is not open."""
        document = self._documents.get(which.uri)
        if document is None:
            logger.warning("Edits to %s were dropped: it is not open", which.uri)
            return None
        document.edit(changes, self.encoding)
        document.version = which.version
        program = self._programs.get(which.uri)
        if program:
            program.touch()
        return program

    def close(self, uri: str) -> Program | None:
        """Forget a document and return its program, or None if it was not open."""
        file = path_of(uri)
        if self._documents.pop(uri, None) is not None and file is not None:
            alike = self._by_name[name_key(file)]
            alike.remove(uri)
            if not alike:
                del self._by_name[name_key(file)]
        return self._programs.pop(uri, None)
