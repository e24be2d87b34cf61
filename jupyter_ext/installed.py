"""Imports from where packages are installed, whatever lies in the notebook's folder.

A kernel looks for packages in its working folder before all other places. What cells import is
theirs to say; what Torchferry imports must not be a stranger's `libcst.py`. Nothing is imported
here that a kernel has not loaded anyway.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

# The folder that contains this package.
ROOT = str(Path(__file__).parent.parent)
_NEEDED = ("workbench", "libcst")  # cells may have imported other modules of these names


class _Thread(threading.local):
    depth = 0  # the depth of its blocks


_thread = _Thread()


@contextmanager
def installed_only() -> Iterator[None]:
    """Import nothing from the working folder in this thread; other threads are unaffected.

    Raises:
        ImportError: a module of this name that is not the installed one has been loaded already.
    """
    if PathFinder in sys.meta_path:
        sys.meta_path[sys.meta_path.index(PathFinder)] = _Finder
    depth = _thread.depth
    _thread.depth = depth + 1
    try:
        if not depth:
            _check()
        yield
    finally:
        _thread.depth = depth


@contextmanager
def importing_as_user() -> Iterator[None]:
    """Import as cells do in the block, for the user's own code."""
    depth = _thread.depth
    _thread.depth = 0
    try:
        yield
    finally:
        _thread.depth = depth


def load(name: str) -> ModuleType:
    """Import one of our own modules, and what it needs.

    Raises:
        ImportError: it is not installed, or a stranger's module has taken a name that it needs.
    """
    with installed_only():
        return import_module(name)


class _Finder(PathFinder):
    """Python's own finder, without the working folder in the threads that ask for that."""

    @classmethod
    def find_spec(
        cls, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if path is None and _thread.depth:
            # The engine is the one next to this very file.
            path = [ROOT] if fullname == "workbench" else _places()
        return super().find_spec(fullname, path, target)


def _places() -> list[str]:
    """Return the path without the working folder, unless it follows this Python's packages.

    There it hides no installed package, and an editable install of this folder is at that position.
    """
    try:
        here = os.path.realpath(Path.cwd())
    except OSError:  # it was removed
        here = ""
    kept: list[str] = []
    behind = False
    for place in sys.path:
        if Path(place).is_absolute() and (behind or os.path.realpath(place) != here):
            kept.append(place)
        behind = behind or Path(place).name in ("site-packages", "dist-packages")
    return kept


def _check() -> None:
    """Check that no other module has the needed names.

    Raises:
        ImportError: one does; the message names its file and the next step.
    """
    for name in _NEEDED:
        there = getattr(sys.modules.get(name), "__file__", None)
        found = _Finder.find_spec(name) if there else None
        if found and os.path.realpath(found.origin or "") != os.path.realpath(there or ""):
            raise ImportError(
                f"this kernel has imported another package called {name}, from {there}, so"
                " Torchferry"
                " does nothing here. Next step: rename that package, then restart the kernel"
            )
