"""Converted code for a new cell: its names are its own, and it needs nothing of Torchferry."""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from jupyter_ext.errors import ConvertError
from workbench.compare.cells.steps import bound_names, free_names
from workbench.convert.rewrite.own_names import with_own_names
from workbench.source.tree import imported_names

if TYPE_CHECKING:
    from workbench.compare.cells.session import Session


def inserted(
    session: Session, source: str, names: Mapping[str, object], changed: Collection[str] = ()
) -> str:
    """Return the conversion of a cell, for a new cell below it: torch's names keep their values.

    What the cell binds gets a name of the target's (`net_paddle`), and so does what it reads of
    earlier inserted cells. Tensors that only torch has are copied.

    Args:
        session: the session of the target.
        source: the cell.
        names: the kernel's namespace.
        changed: names whose values the cell has changed; they are not copied.

    Raises:
        ConvertError: it reads something else that only torch has.
    """
    code = session.convert(source, placed=True).code.strip("\n")
    suffix = session.bridge.name
    bound = bound_names(ast.parse(source).body)
    own = _own(source, code, suffix)
    copies: list[str] = []
    missing: list[str] = []
    for name in session.foreign(source):
        new = f"{name}_{suffix}"
        if new not in names:
            started = name not in bound and name not in changed
            copy = session.copied(name, new) if started else None
            (copies if copy else missing).append(copy or name)
        own[name] = new
    if missing:
        raise ConvertError(
            f"The conversion is not inserted: only torch has {', '.join(missing)}. First insert"
            " the conversion of the cell that creates it."
        )
    head, body = _parted(with_own_names(code, own))
    return "\n".join(part for part in (head, *copies, body) if part).strip("\n")


def inserted_unrun(code: str, source: str, names: Mapping[str, object], suffix: str) -> str:
    """Return the same for a cell that was not compared; torch's objects are read by new names.

    Args:
        code: the conversion of the cell.
        source: the cell.
        names: the kernel's namespace.
        suffix: the ending of new names.
    """
    own = _own(source, code, suffix)
    if "torch" in sys.modules:
        from workbench.compare.cells.reach import uses_torch

        read = free_names(ast.parse(source).body)
        found = (name for name in read if not isinstance(names.get(name), types.ModuleType))
        own |= {name: f"{name}_{suffix}" for name in found if uses_torch({name}, names)}
    return with_own_names(code, own)


def _own(source: str, code: str, suffix: str) -> dict[str, str]:
    """Return new names for the names that both texts bind."""
    ours, theirs = (bound_names(ast.parse(text).body) for text in (source, code))
    return {name: f"{name}_{suffix}" for name in (ours & theirs) - _kept_imports(source, code)}


def _kept_imports(source: str, code: str) -> set[str]:
    """Return the names that both texts bind by the same import."""
    ours, theirs = (imported_names(ast.walk(ast.parse(text))) for text in (source, code))
    return {name for name, what in ours.items() if theirs.get(name) == what}


def _parted(code: str) -> tuple[str, str]:
    """Return the imports that code begins with, and the rest."""
    lines = code.split("\n")
    end = 0
    for node in ast.parse(code).body:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            break
        end = node.end_lineno or node.lineno
    return "\n".join(lines[:end]), "\n".join(lines[end:])
