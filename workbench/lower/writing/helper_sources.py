"""Functions that generated modules define at their top, read from the target's files.

Their source is copied into the module, so that it is self-contained: it may use the dialect's
imports, and other helpers of any of the files.
"""

from __future__ import annotations

import ast
import re
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_CALLED = re.compile(r"\b_[a-z]\w+(?=\()")
_MARKS = re.compile(r"  # (type: ignore|noqa).*")


class HelperSources:
    """The helpers in some files, in the order in which modules define them."""

    def __init__(self, files: Iterable[Path]) -> None:
        self._files = tuple(files)

    @cached_property
    def sources(self) -> dict[str, str]:
        """The source of every helper by name."""
        found: dict[str, str] = {}
        for file in self._files:
            text = file.read_text(encoding="utf-8")
            lines = text.splitlines(keepends=True)
            for node in ast.parse(text).body:
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                    first = min(part.lineno for part in (node, *node.decorator_list))
                    written = "".join(lines[first - 1 : node.end_lineno])
                    found[node.name] = _MARKS.sub("", written).rstrip()
        return found

    def with_called(self, names: set[str]) -> list[str]:
        """Return the sources of these helpers and of those that they call, in order."""
        needed: set[str] = set()
        waiting = set(names)
        while waiting:
            name = waiting.pop()
            needed.add(name)
            called = set(_CALLED.findall(self.sources[name]))
            waiting |= (called & self.sources.keys()) - needed
        return [text for name, text in self.sources.items() if name in needed]
