"""Where a project begins, for whoever starts from one of its files."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice
from pathlib import Path

from workbench import files

# Projects of more files are not read for one of them.
_MOST_FILES = 500
# What stands at the top of a project.
_MARKS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")


def project_around(file: Path, folders: Collection[Path] = ()) -> Path | None:
    """The folder whose files import each other by their names; None for a file by itself.

    Args:
        file: the file, by its whole path.
        folders: folders that are projects whatever stands in them.
    """
    around = next((folder for folder in folders if folder in file.parents), None)
    for parent in file.parents:
        if any((parent / mark).exists() for mark in _MARKS) or parent == around:
            return parent
    return None


def is_small(root: Path) -> bool:
    """Return whether a project is small enough to be read for one of its files."""
    code = (file for file in files.walk(root, _pass_over) if file.suffix in files.PYTHON)
    return len(list(islice(code, _MOST_FILES + 1))) <= _MOST_FILES


def _pass_over(place: Path, message: str) -> None:
    """Who checks the whole project is told what of it cannot be read."""
