"""The models that projects name in their settings, as a client's list of tests has them."""

from __future__ import annotations

import ast
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsp_server.workspace.addresses import address_of, path_of
from workbench import files
from workbench.convert.configuration.models import sides
from workbench.convert.configuration.settings import settings_for
from workbench.errors import TorchferryError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lsp_server.session import Session
    from lsp_server.workspace.documents import Program


def models(session: Session, uris: Sequence[str]) -> list[dict[str, Any]]:
    """Return the models that settings name, each with the command line that runs it.

    Args:
        session: knows the texts and the folders that are open; settings above a folder hold there.
        uris: the addresses of files with settings.
    """
    found: list[dict[str, Any]] = []
    seen: set[str] = set()
    for folder in [*(file.parent for uri in uris if (file := path_of(uri))), *session.folders]:
        try:
            settings = settings_for(folder)  # the current ones: the caller may have changed them
        except TorchferryError as error:
            session.show_message(f"Torchferry lists no models: {error}")
            continue
        if settings.file is None or os.path.realpath(settings.file) in seen:
            continue  # a file without Torchferry's table has the settings of another file
        seen.add(os.path.realpath(settings.file))
        folder = settings.file.parent
        for model in settings.models:
            every = [_side(session, folder, place) for place in (model.place, model.port) if place]
            found.append(
                {
                    "place": model.place,
                    "port": model.port,
                    "folder": str(folder),
                    "arguments": model.arguments,
                    "sides": every,
                }
            )
    return found


def ported(session: Session, program: Program) -> set[str]:
    """Return the names in a file that its project's settings compare with a port."""
    settings, file = session.project(program), path_of(program.uri)
    if settings.file is None or file is None:
        return set()
    return {
        sides(place)[1].partition(".")[0]
        for model in settings.models
        for place in (model.place, model.port)
        if model.port and _same(_file(settings.file.parent, place), file)
    }


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _side(session: Session, folder: Path, place: str) -> dict[str, Any]:
    """Return the location of a side: its file, its name's first part, and the defining line."""
    file, name = _file(folder, place), sides(place)[1].partition(".")[0]
    uri = address_of(file)
    lines = (at for defined, at in _defined(_text(session, file)) if defined == name)
    return {"uri": uri, "name": name, "line": next(lines, 0)}


def _file(folder: Path, place: str) -> Path:
    """Return the file of a location, which may be written as a dotted module."""
    file = sides(place)[0]
    return folder / (file if file.endswith(".py") else f"{file.replace('.', '/')}.py")


def _text(session: Session, file: Path) -> str:
    document = session.documents.at(file)
    if document is not None:
        return document.text
    with suppress(OSError, TorchferryError):  # its run shows the reason
        return files.decode(file, files.read(file))[0]
    return ""


def _defined(text: str) -> Iterator[tuple[str, int]]:
    """Yield the top-level names that a text defines, each with its line counted from 0."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef | ast.FunctionDef):
            yield statement.name, statement.lineno - 1
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    yield target.id, statement.lineno - 1
