"""Metadata of a ported notebook: its original, and hashes of each cell's text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from workbench.convert.notebook.notebook_files import Notebook

KEY = "torchferry"


@dataclass(frozen=True, slots=True)
class Changed:
    """A code cell whose text changed since the port was written, and the sides that changed."""

    number: int
    original: bool
    port: bool

    def __str__(self) -> str:
        sides = [
            name for name, is_one in (("original", self.original), ("port", self.port)) if is_one
        ]
        return f"cell {self.number}: changed in the {' and the '.join(sides)}"


def content_hash(text: str) -> str:
    """Return a short hash of a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def text_of(cell: dict[str, Any]) -> str:
    """Return the source of a cell of any type."""
    source = cell.get("source", "")
    return "".join(source) if isinstance(source, list) else str(source)


def write_record(notebook: Notebook, originals: list[str], facts: dict[str, Any]) -> None:
    """Record in a ported notebook what each cell was written from, and facts about the whole.

    Args:
        notebook: the port.
        originals: the original's source of each code cell.
        facts: about the whole port.
    """
    for cell, original in zip(notebook.cells, originals, strict=True):
        record = {"original": content_hash(original), "port": content_hash(text_of(cell.data))}
        cell.data.setdefault("metadata", {})[KEY] = record
    metadata = notebook.data.setdefault("metadata", {})
    metadata[KEY] = {**facts, "texts": _texts(notebook)}


def facts_of(notebook: Notebook) -> dict[str, Any] | None:
    """Return the facts recorded about a port; None for any other notebook."""
    metadata = notebook.data.get("metadata")
    facts = metadata.get(KEY) if isinstance(metadata, dict) else None
    return facts if isinstance(facts, dict) and "texts" in facts else None


def is_edited(notebook: Notebook) -> bool:
    """Return True for a notebook whose cells are not those that the port was written with."""
    facts = facts_of(notebook)
    return facts is None or facts["texts"] != _texts(notebook)


def record_of(cell: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata of a port's cell; empty for a cell that a person added."""
    metadata = cell.get("metadata")
    record = metadata.get(KEY) if isinstance(metadata, dict) else None
    return record if isinstance(record, dict) else {}


def changed_cells(original: Notebook, port: Notebook) -> Iterator[Changed]:
    """Yield the cells of a port that want another look: their text changed on either side."""
    known = {content_hash(text_of(cell.data)) for cell in original.cells}
    for cell in port.cells:
        record = record_of(cell.data)
        lost = record.get("original") not in known
        edited = record.get("port") != content_hash(text_of(cell.data))
        if lost or edited:
            yield Changed(cell.number, bool(record) and lost, edited)


def _texts(notebook: Notebook) -> str:
    """Return a hash of all cells, those of Markdown among them."""
    cells = [f"{cell.get('cell_type')} {text_of(cell)}" for cell in notebook.data["cells"]]
    return content_hash("\0".join(cells))
