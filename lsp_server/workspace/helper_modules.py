"""The helper module next to an open file, in the client or on disk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lsp_server.workspace.addresses import path_of
from workbench import files
from workbench.convert.configuration.keys import INLINE, MODULE
from workbench.convert.imports import helper_placement
from workbench.convert.imports.helper_modules import HelperImport
from workbench.errors import TorchferryError

if TYPE_CHECKING:
    from lsp_server.workspace.documents import Document, Documents, Program


def helper_import(
    documents: Documents, program: Program, helpers: str | None
) -> HelperImport | None:
    """Return the module that a program's fixes may import helpers from, or None for inline helpers.

    They are inline in a text without a file, and where the module is somebody else's, half-typed,
    or not certain to be found. `helpers` is the project's setting.
    """
    path = path_of(program.uri)
    if helpers == INLINE or path is None:
        return None
    spelled = helper_placement.imported_as(path, program.text)
    if spelled is None:
        return None
    _, there = module_text(documents, helper_placement.module_file(path, spelled))
    if there is None or (there and helper_placement.problem(there)):
        return None
    return HelperImport(spelled, few_inline=helpers != MODULE)


def module_text(documents: Documents, file: Path) -> tuple[Document | None, str | None]:
    """Return a module's document if it is open, and its text.

    The text is empty if there is no such file, and None if it cannot be read.
    """
    document = documents.at(file)
    if document is not None:
        return document, document.text
    if not file.exists():
        return None, ""
    try:
        return None, files.decode(file, files.read(file))[0]
    except TorchferryError:
        return None, None
