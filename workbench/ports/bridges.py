"""Lines in files that are still torch's, by which they use modules that are ported.

Each line ends with a comment by which it is found again. It is removed when its file is ported.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from pathlib import Path

from workbench import files
from workbench.convert.project.file_job import Order
from workbench.convert.project.module_graph import Project
from workbench.ports.plan import Plan
from workbench.positions import Lines
from workbench.source.packages import may_use_torch

_COMMENT = "# torchferry bridge"
_IMPORT = f"from torchferry.mixed import in_torch  {_COMMENT}"
MARK = _COMMENT.encode()


def without_bridges(text: str) -> str:
    """Return a file's text without the lines of bridges."""
    if _COMMENT not in text:
        return text
    kept = [line for line in text.splitlines(keepends=True) if not line.rstrip().endswith(_COMMENT)]
    return "".join(kept)


class Bridges:
    """The bridges of a project.

    Args:
        folder: the project.
        order: what is wanted of every file.
        tracked: its files in git.
    """

    def __init__(self, folder: Path, order: Order, tracked: Collection[str]) -> None:
        self._folder, self._order = folder.resolve(), order
        self._python = [path for path in tracked if path.endswith(".py")]

    def in_use(self) -> bool:
        """Return whether a file of the project has a bridge."""
        return any(MARK in data for data in self._contents().values())

    def changes(self, plan: Plan, current: str = "") -> dict[str, bytes]:
        """Return the files whose bridges change, with their new content.

        Args:
            plan: the plan; modules whose steps are done are ported.
            current: the path of a further step that is ported now.
        """
        ported = {step.path for step in plan.steps if step.done is not None} | {current}
        steps = {step.path for step in plan.steps}
        project = Project(self._folder, self._order.settings, self._order.aim.facts)
        reach = _Reach(project, self._folder, ported, steps)
        found: dict[str, bytes] = {}
        for path, data in self._contents().items():
            if path in ported:
                continue
            text, encoding = files.decode(self._folder / path, data)
            new = _bridged(without_bridges(text), self._folder / path, reach)
            if new != text:
                found[path] = new.encode(encoding)
        return found

    def _contents(self) -> dict[str, bytes]:
        there = {path: self._folder / path for path in self._python}
        return {path: files.read(file) for path, file in there.items() if file.is_file()}


class _Reach:
    """The imports by which a file reaches a ported module, directly or through plain files."""

    def __init__(
        self, project: Project, folder: Path, ported: Collection[str], steps: Collection[str]
    ) -> None:
        self._project = project
        self._ported = {folder / path for path in ported}
        self._steps = {folder / path for path in steps}

    def module(self, path: Path, level: int, name: str) -> bool:
        """Return whether an import names a ported module, or one that passes its names on."""
        place = self._project.module(path, level, name)
        return place is not None and self._has_ported(place)

    def name(self, path: Path, level: int, module: str, name: str) -> bool:
        """Return whether a name that is imported from a module may be ported."""
        place = self._project.module(path, level, module)
        if place is None:
            return False
        inner = self._project.submodule(place, name)
        return self._has_ported(place if inner is None else inner)

    def _has_ported(self, place: Path) -> bool:
        waiting, seen = [place], set[Path]()
        while waiting:
            file = waiting.pop()
            if file in self._ported:
                return True
            if file not in seen and file not in self._steps:
                seen.add(file)
                waiting += self._project.direct_imports(file)
        return False


def _bridged(text: str, path: Path, reach: _Reach) -> str:
    """Return a file's text with a line after each import of something that is ported."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return text
    if not may_use_torch(text):
        return text
    found = [(node, names) for node, names in _imports(tree, path, reach) if names]
    if not found:
        return text
    lines = Lines(text)
    parts = text.splitlines(keepends=True)
    for node, names in sorted(found, key=lambda one: -(one[0].end_lineno or 0)):
        at = node.end_lineno or node.lineno
        line = lines.line(node.lineno - 1)
        indent = line[: len(line) - len(line.lstrip())]
        new = [f"{name} = in_torch({name})  {_COMMENT}" for name in names]
        if not parts[at - 1].endswith(("\n", "\r")):
            parts[at - 1] += lines.newline
        parts[at:at] = [f"{indent}{one}{lines.newline}" for one in [_IMPORT, *new]]
    return "".join(parts)


def _imports(
    tree: ast.Module, path: Path, reach: _Reach
) -> Iterator[tuple[ast.Import | ast.ImportFrom, list[str]]]:
    """Yield the imports of a file, each with the names that may be ported."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            yield (
                node,
                [
                    one.asname or one.name
                    for one in node.names
                    if one.name != "*" and reach.name(path, node.level, module, one.name)
                ],
            )
        elif isinstance(node, ast.Import):
            yield (
                node,
                [
                    one.asname or one.name.partition(".")[0]
                    for one in node.names
                    if reach.module(path, 0, one.name)
                ],
            )
