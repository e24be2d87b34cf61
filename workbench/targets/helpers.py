"""Helper functions that are copied into converted code: their source, and their dependencies."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import RuleError
from workbench.source.tree import inside

# The module that holds the helpers of a file or of a project, next to the code.
MODULE = "torchferry_helpers"
# Comments for this project's own checkers, which are removed from users' files.
_FOR_CHECKERS = re.compile(r"[ \t]*# (type: ignore|noqa|fmt: skip)[^\n]*")
_DEFINED = re.compile(rb"^(?:def|class) (\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, order=True)
class Import:
    """An `import module as bound`, or `from module import name as bound` if `name` is not empty."""

    module: str
    name: str
    bound: str


@dataclass(frozen=True, slots=True)
class Helper:
    """A helper's source, the helpers that it calls, and its imports."""

    name: str
    source: str
    needs: tuple[str, ...]
    imports: tuple[Import, ...]


class HelperLibrary:
    """The helpers of a target, in Python files that are never imported.

    A file is parsed when one of its helpers is needed, since an editor needs a few of hundreds.
    """

    def __init__(self, files: Iterable[Path]) -> None:
        self._files: dict[str, Path] = {}
        self._read: dict[str, Helper] = {}
        for file in files:
            self._list(file)

    def _list(self, file: Path) -> None:
        for name in map(bytes.decode, _DEFINED.findall(file.read_bytes())):
            if name in self._files:
                raise RuleError(f"two helpers are called {name}")
            self._files[name] = file

    def verify(self) -> None:
        """Read and check every helper.

        Raises:
            RuleError: a helper uses something that is not copied with it, or a missing helper.
        """
        for name in self:
            self._verify(self[name])

    def _verify(self, helper: Helper) -> None:
        for name in helper.needs:
            if name not in self:
                raise RuleError(f"helper {helper.name} needs {name}, which does not exist")

    def extended(self, file: Path) -> HelperLibrary:
        """Return these helpers and those of another file, which may need these.

        Raises:
            RuleError: the file defines a name that exists, or a helper that needs a missing one.
        """
        library = HelperLibrary(())
        library._files, library._read = dict(self._files), self._read.copy()
        library._list(file)
        for name in library._files.keys() - self._files.keys():
            library._verify(library[name])
        return library

    def __getitem__(self, name: str) -> Helper:
        if name not in self._read:
            self._read.update((helper.name, helper) for helper in _helpers(self._files[name]))
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        return name in self._files

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def closure(self, names: Iterable[str]) -> list[Helper]:
        """Return these helpers and all their dependencies, each after its dependencies."""
        found: dict[str, Helper] = {}
        open_: list[str] = []

        def add(name: str) -> None:
            if name in found:
                return
            if name in open_:
                circle = " -> ".join([*open_[open_.index(name) :], name])
                raise RuleError(f"helpers need each other, and none can come first: {circle}")
            open_.append(name)
            helper = self[name]
            for need in helper.needs:
                add(need)
            open_.pop()
            found[name] = helper

        for name in sorted(set(names)):
            add(name)
        return list(found.values())


def _helpers(file: Path) -> Iterator[Helper]:
    """Yield the helpers of a file.

    Raises:
        RuleError: a helper uses a module-level name of its file.
    """
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    lines = text.splitlines()
    imports: dict[str, Import] = {}
    imported: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            from_package = isinstance(node, ast.ImportFrom) and (
                (node.module or "").startswith("workbench.targets")
            )
            for alias in node.names:
                bound = alias.asname or alias.name
                if from_package:
                    imported.add(bound)
                elif isinstance(node, ast.Import):
                    imports[bound.partition(".")[0]] = Import(alias.name, "", bound)
                elif node.module != "__future__":
                    imports[bound] = Import(node.module or "", alias.name, bound)
    definitions = {
        node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    outside = _assigned(tree)
    for name, node in definitions.items():
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        source = _FOR_CHECKERS.sub("", "\n".join(lines[first - 1 : node.end_lineno]))
        used = {part.id for part in inside(node) if type(part) is ast.Name}
        if lost := sorted(used & outside):
            raise RuleError(
                f"helper {name} uses {lost[0]}, which its file defines outside the helper and is"
                " not"
                " copied with it; move it into the helper"
            )
        needs = sorted((used & (definitions.keys() | imported)) - {name})
        modules = tuple(sorted(imports[bound] for bound in used & imports.keys()))
        yield Helper(name, source, tuple(needs), modules)


def _assigned(tree: ast.Module) -> set[str]:
    """Return the names that a file assigns outside of its functions and classes."""
    found: set[str] = set()
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            aims = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            found.update(aim.id for aim in aims if isinstance(aim, ast.Name))
    return found
