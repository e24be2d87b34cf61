"""The root of a project, found from one of its files."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from itertools import islice
from pathlib import Path

from workbench import files

# Larger projects are not read for one of their files.
_MOST_FILES = 500
# Files and folders that mark the root of a project.
_MARKS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")


def project_around(file: Path, folders: Collection[Path] = ()) -> Path | None:
    """Return the folder whose files import each other by name, or None for a single file.

    Args:
        file: the absolute path of the file.
        folders: the folders that the user works in, one of which is the project if no folder around
            the file has a mark.
    """
    marked = (one for one in file.parents if any((one / mark).exists() for mark in _MARKS))
    opened = (one for one in folders if one in file.parents and not _holds_projects(one))
    return next(marked, None) or next(opened, None)


def _holds_projects(folder: Path) -> bool:
    """Return whether a folder is the root of a disk, or the user's home."""
    with suppress(RuntimeError):  # there is no home
        return folder in (Path(folder.anchor), Path.home())
    return folder.parent == folder


def is_small(root: Path) -> bool:
    """Return whether a project is small enough to be read for one of its files."""
    code = (file for file in files.walk(root, _ignore_unreadable) if file.suffix in files.PYTHON)
    return len(list(islice(code, _MOST_FILES + 1))) <= _MOST_FILES


def project_of(file: Path) -> Path | None:
    """Return the folder of the project that a file is read with, spelled as the file if possible.

    It is None for a single file, and in a large project. Without a mark, the working folder is the
    project, as the open folder is in an editor.
    """
    root = project_around(file.resolve(), [Path.cwd()])
    if root is None or not is_small(root):
        return None
    return next((parent for parent in file.parents if parent.resolve() == root), root)


def seen_from(root: Path | None, file: Path) -> Path:
    """Return a file's path below its project's folder, without the links in the path as given."""
    if root is None or file.is_relative_to(root):
        return file
    return root / file.resolve().relative_to(root.resolve())


def _ignore_unreadable(place: Path, message: str) -> None:
    """Ignore a path that cannot be read; a check of the whole project reports it."""
