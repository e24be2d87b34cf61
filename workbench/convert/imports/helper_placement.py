"""The location of the helpers that a project's converted files share.

A project has one module of helpers, so that a class in it is the same class everywhere. It is in
the package that all others import, or in the folder that they are imported from. If a file's
imports do not show that it can import that module, the file defines its helpers itself.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, takewhile
from pathlib import Path as OnDisk
from pathlib import PurePosixPath as Path

from workbench.convert.configuration.beginning import project_around
from workbench.files import NOTEBOOK
from workbench.source.import_lines import import_lines
from workbench.source.packages import may_use_torch
from workbench.targets.helpers import MODULE

# Files that are run on their own, wherever the rest of the project is.
_ALONE = frozenset({"setup.py", "conftest.py", "noxfile.py"})
# The number of files that are read for the imports of the folder above.
_MOST_ABOVE = 100
_FROM = re.compile(
    r"^from[ \t]+(?P<dots>\.*)(?P<module>[\w.]*)[ \t]+import[ \t]*"
    r"(?:\((?P<many>[^)]*)\)|(?P<names>[^\n#;]*))",
    re.MULTILINE,
)
_PLAIN = re.compile(r"^import[ \t]+(?P<modules>[\w., \t]+)", re.MULTILINE)
_MAIN = re.compile(r"^if[ \t]+__name__\s*==", re.MULTILINE)
# Statements at the top of a script, which importable modules rarely have.
_RUNS = re.compile(r"^(?:if[ \t]+__name__\s*==|for\b|while\b|with\b|[\w.]+\()", re.MULTILINE)
# Folders that contain a project's packages but are not packages.
_SOURCES = frozenset({"src", "lib", "python"})


@dataclass(frozen=True, slots=True)
class Place:
    """The helper module of a file: its name in imports, and its own file."""

    spelled: str
    file: Path


@dataclass(slots=True)
class _Evidence:
    """The imports at the top level of a file."""

    relative: bool
    packages: set[str]
    roots: set[Path]  # folders that modules are imported from by their bare names


class Layout:
    """The Python files of a project, by their paths in it, with their texts."""

    def __init__(self, texts: Mapping[Path, str]) -> None:
        self.texts = texts
        self.files = set(texts)
        self.folders = {parent for file in texts for parent in file.parents}
        tops = {file: self._top(file) for file in texts}
        self.tops = {top for top in tops.values() if top is not None}
        self.evidence = {file: self._evidence(file) for file in texts}
        self.imported_from = self._importers()
        self.namespaces = self._namespaces()
        self.homes = self._homes(tops)

    def place(self, file: Path) -> Place | None:
        """Return the location of a file's helpers, or None if it defines them itself."""
        if file.suffix == ".pyi" or file.name in _ALONE:
            return None
        top = self._top(file)
        place = self._next_to_imports(file) if top is None else self._in_package(file, top)
        if place is None:
            return None
        there = self.texts.get(place.file)
        return place if there is None or problem(there) is None else None

    def users(self, own_packages: Collection[str]) -> Counter[Path]:
        """Return how many of the files that may use torch have each module of helpers."""
        users = (file for file, text in self.texts.items() if may_use_torch(text, own_packages))
        places = map(self.place, users)
        return Counter(place.file for place in places if place is not None)

    def _top(self, file: Path) -> Path | None:
        """Return the outermost folder of the package that a file is in; a notebook is in none."""
        if file.suffix == NOTEBOOK:
            return None
        top = None
        for folder in file.parents:
            if folder / "__init__.py" not in self.files:
                break
            top = folder
        return top

    def _in_package(self, file: Path, top: Path) -> Place | None:
        own = self.evidence[file]
        home = self.homes.get(top, top)
        if any(root == top or top in root.parents for root in own.roots):
            return None  # its neighbours are imported as if this were not a package
        if top in self.namespaces:
            return self._in(self.namespaces[top])
        known = own.relative or top.name in own.packages
        if not known and (_MAIN.search(self.texts[file]) or self.imported_from.get(file)):
            return None
        if home != top or (top.name in own.packages and not own.relative):
            return self._in(home)
        spelled = "." * len(file.relative_to(top).parts) + MODULE
        return Place(spelled, top / f"{MODULE}.py")

    def _in(self, home: Path) -> Place:
        """Return the module in a package, or in a folder that modules are imported from."""
        spelled = f"{home.name}.{MODULE}" if home in self.tops else MODULE
        return Place(spelled, home / f"{MODULE}.py")

    def _next_to_imports(self, file: Path) -> Place | None:
        own = self.evidence[file]
        if own.relative:
            return None
        for name in sorted(own.packages):
            for top in sorted(top for top in self.tops if top.name == name):
                return self._in(self.homes.get(top, top))
        roots = own.roots or self.imported_from.get(file) or {self._likely_root(file)}
        if len(roots) > 1:
            return None
        [root] = roots
        if self._top(root / "x.py") is not None:
            return None
        homes = (home for top, home in sorted(self.homes.items()) if top.parent == root)
        return self._in(next(homes, root))

    def _likely_root(self, file: Path) -> Path:
        """Return the folder on Python's path for a file whose imports show none."""
        if file.suffix == NOTEBOOK or _RUNS.search(self.texts[file]):
            return file.parent
        around = [one for one in self.texts if one.parent == file.parent]
        shown = [self.evidence[one].roots or self.imported_from.get(one, set()) for one in around]
        roots = set[Path]().union(*shown)
        if len(roots) == 1:
            return roots.pop()
        return Path(*(part for part in file.parts[:1] if part in _SOURCES))

    def _homes(self, tops: Mapping[Path, Path | None]) -> dict[Path, Path]:
        """Map each package of the project to the folder of its module of helpers."""
        imported: dict[Path, set[Path]] = {}
        flat: set[Path] = set()  # packages that import modules from their own folder
        for file, top in tops.items():
            if top is None or "torch" not in self.texts[file]:
                continue
            own = self.evidence[file]
            others = {one for one in self.tops if one.name in own.packages and one != top}
            imported.setdefault(top, set()).update(others)
            if top.parent in own.roots:
                flat.add(top)
        return {
            top: home
            for group in _groups(imported)
            for home in [_home_of(group, imported, flat)]
            for top in group
        }

    def _evidence(self, file: Path) -> _Evidence:
        found = _Evidence(relative=False, packages=set(), roots=set())
        for dots, module, _ in _imports(self.texts[file]):
            if dots:
                found.relative = True
                continue
            first = module.partition(".")[0]
            if first in sys.stdlib_module_names:
                continue
            root = self._root(file, first)
            if root is None:
                if any(top.name == first for top in self.tops):
                    found.packages.add(first)
            elif root / first / "__init__.py" in self.files:
                found.packages.add(first)
            else:
                found.roots.add(root)
        return found

    def _root(self, file: Path, first: str) -> Path | None:
        """Return the nearest folder around a file that has a module or folder of this name."""
        for folder in file.parents:
            inside = folder / f"{first}.py"
            if (inside in self.files and inside != file) or folder / first in self.folders:
                return folder
        return None

    def _importers(self) -> dict[Path, set[Path]]:
        """Map each file to the folders that others import it from by its bare or dotted name."""
        result: dict[Path, set[Path]] = {}
        for root, aim in self._aims():
            target = aim.with_name(f"{aim.name}.py")
            if target in self.files:
                result.setdefault(target, set()).add(root)
        return result

    def _namespaces(self) -> dict[Path, Path]:
        """Map each package in a folder that is none to the folder that it is imported from."""
        result: dict[Path, Path] = {}
        for root, aim in self._aims():
            for top in (aim, *aim.parents):
                if top in self.tops and root in top.parents:
                    result.setdefault(top, root)
        return result

    def _aims(self) -> Iterator[tuple[Path, Path]]:
        """Yield what is imported by absolute names from folders that are no packages.

        The first path is the folder that the name starts in, the second the path of the name.
        """
        for file, text in self.texts.items():
            for dots, module, names in _imports(text):
                first = module.partition(".")[0]
                if dots or not first or first in sys.stdlib_module_names:
                    continue
                root = self._root(file, first)
                if root is None or root / first / "__init__.py" in self.files:
                    continue
                path = root.joinpath(*module.split("."))
                yield from ((root, aim) for aim in (path, *(path / name for name in names)))


def _groups(imported: Mapping[Path, Collection[Path]]) -> list[set[Path]]:
    """Return packages that import each other, or are in one folder, together."""
    groups: list[set[Path]] = []
    for top, others in imported.items():
        near = {top, *others, *(one for one in imported if one.parent == top.parent)}
        linked = [group for group in groups if not group.isdisjoint(near)]
        groups = [group for group in groups if group.isdisjoint(near)]
        groups.append(near.union(*linked))
    return groups


def _home_of(
    group: Collection[Path], imported: Mapping[Path, Collection[Path]], flat: Collection[Path]
) -> Path:
    """Return the package that all others of a group import, or the folder they come from."""
    for top in sorted(group):
        others = [one for one in group if one != top]
        lowest = top not in flat and not imported.get(top)
        if lowest and all(top in imported.get(one, ()) for one in others):
            return top
    used = set[Path]().union(*(imported.get(one, ()) for one in group)) or group
    return min(top.parent for top in used)


def imported_as(file: OnDisk, text: str, place: OnDisk | None = None) -> str | None:
    """Return the name under which a file converted alone imports the helper module next to it.

    Args:
        file: the file; its neighbours are inspected.
        text: its content; its imports are inspected.
        place: the path of its conversion; None for the file's own path.

    Returns:
        The module as the file imports it, or None if it may not be found.
    """
    if file.suffix == ".pyi" or file.name in _ALONE:
        return None
    imports = list(_imports(text))
    for dots, module, _ in imports:
        if module.rpartition(".")[2] == MODULE:
            return "." * dots + module
    relative = any(dots for dots, _, _ in imports)
    packages = list(takewhile(_is_package, (place or file).parents))
    if relative:
        return "." * len(packages) + MODULE if packages else None
    names = {module.partition(".")[0] for _, module, _ in imports} - {file.stem, ""}
    if file.suffix == NOTEBOOK and not (packages and packages[-1].name in names):
        return MODULE  # a kernel runs in the notebook's folder
    if not packages:
        return None if _is_imported_from_above(file, names) else MODULE
    if packages[-1].name in names:
        return f"{packages[-1].name}.{MODULE}"
    # In a package without relative imports, neighbours imported by their bare names decide.
    found = (file.with_name(f"{name}.py") for name in names - sys.stdlib_module_names)
    return MODULE if any(one.exists() for one in found) else None


def _is_package(folder: OnDisk) -> bool:
    return (folder / "__init__.py").exists()


def _is_imported_from_above(file: OnDisk, names: Collection[str]) -> bool:
    """Return whether the file or a file above imports modules by the folder's name."""
    folder = file.resolve().parent
    if folder.name in names:
        return True
    named = re.compile(rf"^[ \t]*(?:from|import)[ \t]+{re.escape(folder.name)}\b", re.MULTILINE)
    for other in islice(folder.parent.glob("*.py"), _MOST_ABOVE):
        with suppress(OSError):
            if named.search(other.read_text(encoding="utf-8", errors="replace")):
                return True
    return False


def module_file(place: OnDisk, spelled: str) -> OnDisk:
    """Return the path of a helper module from the import of a file; it need not exist yet."""
    name = spelled.lstrip(".")
    level = len(spelled) - len(name)
    inner = OnDisk(*name.split(".")).with_suffix(".py")
    if level:
        return place.parents[min(level, len(place.parents)) - 1] / inner
    found = [folder / inner for folder in _import_roots(place)]
    there = (one for one in found if one.is_file())
    packaged = (one for one in found if len(inner.parts) > 1 and _is_package(one.parent))
    return next(there, None) or next(packaged, place.parent / inner)


def _import_roots(place: OnDisk) -> list[OnDisk]:
    """Return the folders that a file may import from: up to the project's top, or its packages'.

    A module further up, in a home folder for example, is not on the file's path.
    """
    packages = list(takewhile(_is_package, place.parents))
    top = project_around(place) or place.parents[len(packages)]
    return [folder for folder in place.parents if folder == top or top in folder.parents]


def _imports(text: str) -> Iterable[tuple[int, str, list[str]]]:
    """Yield the imports at a module's top level: leading dots, module, and the names from it."""
    for match in import_lines(_FROM, text):
        names = (match["many"] or match["names"] or "").split(",")
        yield (
            len(match["dots"]),
            match["module"],
            [name.split()[0] for name in names if name.split() and name.split()[0].isidentifier()],
        )
    for match in import_lines(_PLAIN, text):
        for module in match["modules"].split(","):
            if module.strip():
                yield 0, module.split()[0], []


_HEADER = '"""Functions that the converted code of this project relies on, made by Torchferry."""'


def is_ours(text: str) -> bool:
    """Return True for a helper module that an earlier conversion made."""
    return text.startswith(_HEADER)


def problem(text: str) -> str | None:
    """Return why helpers cannot be added to the text of a helper module, or None if they can."""
    if not is_ours(text):
        return "exists already, and no conversion wrote it"
    try:
        ast.parse(text)
    except SyntaxError as error:
        return f"does not parse in line {error.lineno} ({error.msg})"
    return None


def defined(text: str) -> set[str]:
    """Return the names of the helpers in a helper module."""
    return {
        node.name
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }


def helper_module(imports: Iterable[str], sources: Iterable[str]) -> str:
    """Return the text of a helper module."""
    head = "\n".join([_HEADER, "", "from __future__ import annotations", "", *imports])
    return "\n\n\n".join([head, *sources]) + "\n"
