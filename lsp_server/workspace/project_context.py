"""Definitions in the other files of an open program's project, read while nobody types.

Reading them costs as much as converting them. A separate thread does it, for projects that fit an
editor's memory, and again when a file is saved: until then, unsaved text of one file does not count
in the others.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from lsp_server.workspace.addresses import path_of
from workbench.convert.configuration.beginning import is_small, project_around
from workbench.convert.project.module_graph import Project
from workbench.source.analysis import analyse

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lsp_server.workspace.documents import Program
    from workbench.convert.configuration.settings import Settings
    from workbench.source.inference.modules import Neighbours
    from workbench.upstream.facts import Facts

logger = logging.getLogger(__name__)


class Surroundings:
    """The projects around the open programs."""

    def __init__(self) -> None:
        self._views: WeakKeyDictionary[Program, tuple[int, Neighbours | None]] = WeakKeyDictionary()
        self._state = 0
        self._reading = asyncio.Lock()

    def of(self, program: Program) -> Neighbours | None:
        """Return the modules around a program as last read, or None if none matter."""
        _, view = self._views.get(program, (0, None))
        return view

    def forget(self) -> None:
        """Mark the modules as changed; they are used until they are read again."""
        self._state += 1

    async def read(
        self, program: Program, settings: Settings, facts: Facts, folders: Sequence[Path]
    ) -> bool:
        """Read what a program imports from its project; True where that may tell something new."""
        path = path_of(program.uri)
        try:
            root = path and project_around(path, folders)
        except OSError:
            return False  # not a possible path of a file, such as one that is too long
        if path is None or root is None:
            return False
        async with self._reading:
            state = self._state
            known, before = self._views.get(program, (-1, None))
            if known == state:
                return False
            view = await asyncio.to_thread(_look, root, path, program.text, settings, facts)
            if state != self._state:
                return False  # files changed meanwhile: the notification causes another read
            self._views[program] = state, view
        return view is not None or before is not None


def _look(root: Path, path: Path, text: str, settings: Settings, facts: Facts) -> Neighbours | None:
    """Return the modules around one file, with the files that it needs, or None if none matter.

    The result is not shared: the loop's own thread reads the files that a view still needs.
    """
    try:
        project = Project(root, settings, facts) if is_small(root) else None
        if project is None or not project.reaches_torch(path):
            return None
        view = project.around(path)
        analyse(text, neighbours=view, facts=facts)
        if view is not None:
            view.traits()
    except Exception:
        logger.exception("Reading the files around one failed")
        return None
    return view
