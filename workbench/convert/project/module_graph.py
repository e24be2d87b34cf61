"""The other files of a project, read once for the files that import them.

Files are read in their state before the conversion. Lines that look like imports decide which files
import each other. Files that import each other in a circle have a rank, and each knows only those
of lower rank, so the result does not depend on the order of reading.
"""

from __future__ import annotations

import ast
import hashlib
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

from workbench import files
from workbench.convert.configuration.settings import Settings
from workbench.convert.findings.suppressions import suppressions
from workbench.convert.imports.helper_placement import is_ours
from workbench.errors import TorchferryError
from workbench.source.analysis import Analysis, analyse
from workbench.source.import_lines import import_lines
from workbench.source.inference.modules import Neighbours, OwnModule, Summary
from workbench.source.packages import TORCH_PACKAGES, may_use_torch
from workbench.source.parsing.parse import Parsed, parse
from workbench.source.traits.gathering import traits_of
from workbench.source.traits.program import Program
from workbench.source.traits.traits import Traits, together
from workbench.source.types.lattice import Value
from workbench.targets.helpers import MODULE
from workbench.upstream.facts import Facts, load

_FROM = re.compile(
    r"^(?P<indent>[ \t]*)from[ \t]+(?P<dots>\.*)[ \t]*(?P<module>[\w.]*)[ \t]+import\b[ \t]*"
    r"(?:\((?P<many>[^)]*)\)|(?P<names>(?:\\\r?\n|[^\n#;])*))",
    re.MULTILINE,
)
_PLAIN = re.compile(r"^(?P<indent>[ \t]*)import[ \t]+(?P<modules>\w[\w., \t]*)", re.MULTILINE)
_DEFINED = re.compile(r"^(?:class|(?:async[ \t]+)?def)[ \t]+(\w+)", re.MULTILINE)
_SCRIPT = re.compile(r"^if[ \t]+__name__[ \t]*==", re.MULTILINE)
_COMMENT = re.compile(r"#[^\n]*")


@dataclass(eq=False, slots=True)
class _File:
    """A file, its imports from the project, and its circle of imports.

    `torch` is whether it or one of its imports may use torch; `digest` changes with any of these
    files. Its `level` is above those of all its imports, and its `rank` above those in its circle
    that it imports at import time.
    """

    path: Path
    imports: frozenset[Path]
    at_once: frozenset[Path]
    own: str
    torch: bool
    circle: int = -1
    level: int = 0
    rank: int = 0
    digest: str = ""


class Project:
    """The Python files below a folder."""

    def __init__(
        self,
        root: Path,
        settings: Settings,
        facts: Facts | None = None,
        notebook: Path | None = None,
        room: int = 0,
    ) -> None:
        """Read the Python files below a folder.

        Args:
            root: the folder.
            settings: the project's settings.
            facts: the names that have rules.
            notebook: a notebook whose program is the project.
            room: how many characters of files may wait, parsed, for their analysis.
        """
        self.root = root
        self._room = room
        self._parsed: dict[Path, Parsed] = {}  # files whose traits are known, for their analysis
        self._notebook = notebook
        self._settings = settings
        self._facts = facts or load()
        self._entries: dict[Path, frozenset[str]] = {}
        self._below: dict[Path, bool] = {}  # whether a folder is the root or in it
        self._files: dict[Path, _File | None] = {}
        self._defined: dict[Path, frozenset[str]] = {}
        self._states: dict[Path, str] = {}
        self._modules: dict[tuple[Path, int, str, bool], Path | None] = {}
        self._open: list[_File] = []  # files whose circle of imports is not known yet
        self._numbers: dict[Path, int] = {}
        self._summaries: dict[Path, Summary] = {}
        self._traits: dict[Path, Traits | None] = {}  # None for a file that cannot be read

    def analyse(self, path: Path, text: str) -> Analysis:
        """Return the analysis of one of the files, in the light of those that it imports."""
        file = self._file(path)
        if file is None or not file.torch:
            return analyse(text, facts=self._facts)
        view = _View(self, file)
        analysis = analyse(text, neighbours=view, facts=self._facts, parsed=self._waiting(path))
        self._summaries.setdefault(path, _whole(analysis))
        as_read = analysis.parsed.error is None and _digest(text) == file.own
        if as_read and not analysis.torchs_names:
            own = partial(self._own_traits, path, analysis.tree)
            together = partial(self._traits_with, path, analysis.tree)
            analysis.whole = Program(own, view.traits, together=together)
        return analysis

    def _waiting(self, path: Path) -> Parsed | None:
        """Return a file that waits for its analysis, and make room for another one."""
        found = self._parsed.pop(path, None)
        if found is not None:
            self._room += len(found.text)
        return found

    def around(self, path: Path) -> Neighbours | None:
        """Return the project's modules as one of its files imports them, or None for no file."""
        file = self._file(path)
        return None if file is None else _View(self, file)

    def reaches_torch(self, path: Path) -> bool:
        """Return False for a file that uses torch neither itself nor through another one."""
        file = self._file(path)
        return file is not None and file.torch

    def defines(self, path: Path, name: str) -> bool:
        """Return True for a class or function that is written at the top of a file."""
        if path not in self._defined:
            self._defined[path] = frozenset(_DEFINED.findall(self._text(path) or ""))
        return name in self._defined[path]

    def imported(self, path: Path) -> list[Path]:
        """Return the files that a file imports, directly or through others."""
        found: set[Path] = set()
        waiting = [path]
        while waiting:
            file = self._file(waiting.pop())
            new = (file.imports if file else frozenset()) - found
            found |= new
            waiting += new
        return sorted(found)

    def direct_imports(self, path: Path) -> frozenset[Path]:
        """Return the files that a file itself imports."""
        file = self._file(path)
        return file.imports if file else frozenset()

    def turn(self, path: Path) -> tuple[int, int]:
        """Return a sort key that puts each file after the files that its analysis reads."""
        file = self._file(path)
        return (0, 0) if file is None else (file.level, file.rank)

    def summary(self, path: Path) -> Summary:
        """Return the summary of a file for the files that import it."""
        found = self._summaries.get(path)
        if found is None:
            found = self._summaries[path] = Summary()
            file = self._file(path)
            text = self._text(path) if file is not None and file.torch else None
            if file is not None and text is not None:
                view = _View(self, file)
                waiting = self._waiting(path)
                found = _whole(analyse(text, neighbours=view, facts=self._facts, parsed=waiting))
                self._summaries[path] = found
        return found

    def knows(self, path: Path, other: Path) -> bool:
        """Return whether a file is read in the light of another that it imports."""
        file, there = self._file(path), self._file(other)
        if file is None or there is None:
            return False
        return there.circle != file.circle or there.rank < file.rank

    # Facts from all files --------------------------------------------------------------------

    def traits(self, path: Path) -> Traits:
        """Return the traits of the other files of a file's program."""
        others = self._others(path)
        return together([self._names(others), *map(self._traits_of, others)])

    def _names(self, paths: Iterable[Path]) -> Traits:
        parts = (one.relative_to(self.root).with_suffix("").parts for one in paths)
        return Traits(files=frozenset(name for part in parts for name in part))

    def _traits_with(self, path: Path, tree: ast.Module) -> Traits:
        """Return the traits of a file's whole program, of which it has this tree."""
        others = self._others(path)
        if not others:
            return self._own_traits(path, tree)
        return replace(self._all_traits, files=self._names(others).files)

    @cached_property
    def _all_traits(self) -> Traits:
        """The traits of all files of the program."""
        return together(map(self._traits_of, self._program))

    def evidence(self, path: Path) -> list[str]:
        """Return texts that change with a file or with any file that its analysis may read.

        The list is empty for a file outside the project.
        """
        file = self._file(path)
        if file is None or not file.torch:
            return [] if file is None else [file.own]
        return [file.own, file.digest, *([self._state] if path in self._program else [])]

    @cached_property
    def _state(self) -> str:
        """A text that changes with any file of the program."""
        parts: list[str] = []
        for path in self._program:
            file = self._file(path)
            parts.append(f"{path.relative_to(self.root)} {file.own if file else ''}")
        return _digest("\n".join(parts))

    def _others(self, path: Path) -> list[Path]:
        return [one for one in self._program if one != path] if path in self._program else []

    def _traits_of(self, path: Path) -> Traits:
        if path not in self._traits:
            self._traits[path] = None
            with suppress(SyntaxError, ValueError, RecursionError):
                self._traits[path] = traits_of(self._tree(path))
        return self._traits[path] or Traits()

    def _tree(self, path: Path) -> ast.Module:
        """Parse a file, and keep the result for its analysis if there is room.

        Raises:
            SyntaxError, ValueError, RecursionError: it does not parse.
        """
        text = self._text(path) or ""
        if len(text) > self._room or path in self._summaries:
            return ast.parse(text)
        parsed = parse(text)
        if parsed.error is not None:
            return ast.parse(text)
        self._room -= len(text)
        self._parsed[path] = parsed
        return parsed.tree

    def _own_traits(self, path: Path, tree: ast.Module) -> Traits:
        """Return the traits of a file with this tree, which the other files ask for as well."""
        known = self._traits.get(path)
        if known is None:
            known = self._traits[path] = traits_of(tree)
        return known

    @cached_property
    def _program(self) -> dict[Path, None]:
        """All files in their order, except scripts that import nothing of the project.

        Modules of helpers do not count, so that a file's conversion is the same before and after
        the first helper is written. Files that do not import each other may share objects all the
        same: a third one, or a test, imports both. A notebook's program is the notebook and what it
        imports.
        """
        if self._notebook is not None:
            read = (one for one in self.imported(self._notebook) if not self._has_helpers(one))
            return dict.fromkeys([self._notebook, *read])
        found: dict[Path, _File] = {}
        for path in files.walk(self.root, lambda place, message: None):
            if path.suffix in files.PYTHON and not self._settings.excludes(path):
                file = self._file(path)
                if file is not None:
                    found[path] = file
        helpers = set(filter(self._has_helpers, found))
        imports = {path: found[path].imports - helpers for path in sorted(found.keys() - helpers)}
        imported = frozenset[Path]().union(*imports.values())
        return {
            path: None
            for path, own in imports.items()
            if own or path in imported or not _SCRIPT.search(self._text(path) or "")
        }

    def _has_helpers(self, path: Path) -> bool:
        return path.stem == MODULE and is_ours(self._text(path) or "")

    # Modules by their names -------------------------------------------------------------------

    def module(self, path: Path, level: int, name: str) -> Path | None:
        """Return the file that an import names, or the folder of a package without `__init__`."""
        key = (path.parent, level, name, path.stem == name.partition(".")[0])
        if key not in self._modules:
            self._modules[key] = self._find_module(path, level, name)
        return self._modules[key]

    def _find_module(self, path: Path, level: int, name: str) -> Path | None:
        parts = name.split(".") if name else []
        if level:
            folders = path.parents[level - 1 : level]
            return self._inside(folders[0], parts) if folders else None
        first = parts[0] if parts else ""
        if not first or first in sys.stdlib_module_names or first == "torch":
            return None
        for folder in path.parents:
            # In a package, an import of another package's name rarely means a module.
            doubtful = first in TORCH_PACKAGES and "__init__.py" in self._names_in(folder)
            doubtful |= folder / f"{first}.py" == path  # a file does not import itself
            if not doubtful and self._inside(folder, parts[:1]) is not None:
                return self._inside(folder, parts)
            if folder == self.root:
                break
        # The root itself may be a package, or lie in one, and its files call it by that name.
        above = len(self.package)
        if above and tuple(parts[:above]) == self.package:
            return self._inside(self.root, parts[above:])
        return None

    @cached_property
    def package(self) -> tuple[str, ...]:
        """The package that the root is, with those that it lies in; empty where it is none."""
        names: list[str] = []
        for folder in (self.root, *self.root.parents):
            if not (folder / "__init__.py").is_file():
                break
            names.insert(0, folder.name)
        return tuple(names)

    def submodule(self, place: Path, name: str) -> Path | None:
        """Return a module inside a package."""
        folder = place.parent if place.name == "__init__.py" else place
        return None if _is_file(folder) else self._inside(folder, [name])

    def _inside(self, folder: Path, parts: list[str]) -> Path | None:
        if folder not in self._below:
            self._below[folder] = folder == self.root or self.root in folder.parents
        if not self._below[folder]:
            return None
        for count, part in enumerate(parts, 1):
            names = self._names_in(folder)
            if f"{part}.py" in names and part not in names:
                file = folder / f"{part}.py"
                return file if count == len(parts) and not self._settings.excludes(file) else None
            if part not in names:
                return None
            folder /= part
        names = self._names_in(folder)
        place = folder / "__init__.py" if "__init__.py" in names else folder
        return None if not names or self._settings.excludes(place) else place

    def _names_in(self, folder: Path) -> frozenset[str]:
        names = self._entries.get(folder)
        if names is None:
            try:
                names = frozenset(entry.name for entry in os.scandir(folder))
            except OSError:
                names = frozenset()
            self._entries[folder] = names
        return names

    # Imports between files -------------------------------------------------------------------

    def _file(self, path: Path) -> _File | None:
        """Return a file with all of its imports visited, or None if it cannot be read."""
        if path not in self._files:
            self._visit(path)
        return self._files[path]

    def _visit(self, path: Path) -> int:
        """Read a file and all that it imports (Tarjan's strongly connected components)."""
        text = self._text(path)
        number = self._numbers[path] = len(self._numbers)
        if text is None:
            self._files[path] = None
            return number
        own = _digest(text)
        found = [(place, at_once) for place, at_once in self._imports(path, text) if place != path]
        imports = frozenset(place for place, _ in found)
        first = frozenset(place for place, at_once in found if at_once)
        torch = may_use_torch(text, self._facts.own_packages)
        file = self._files[path] = _File(path, imports, first, own, torch)
        self._open.append(file)
        low = number
        for other in sorted(imports):
            if other not in self._files:
                low = min(low, self._visit(other))
            elif (there := self._files[other]) is not None and there.circle < 0:
                low = min(low, self._numbers[other])
        if low == number:
            self._close(file, number)
        return low

    def _close(self, file: _File, number: int) -> None:
        """Record a circle of imports, of which all files are found."""
        at = self._open.index(file)
        circle, self._open[at:] = self._open[at:], []
        reached = {path for one in circle for path in one.imports}
        others = [there for path in sorted(reached) if (there := self._files[path]) is not None]
        others = [there for there in others if there.circle >= 0]
        level = max((there.level + 1 for there in others), default=0)
        torch = any(one.torch for one in (*circle, *others))
        parts = [one.own for one in sorted(circle, key=_path)] + [one.digest for one in others]
        digest = _digest(" ".join(parts))
        for one in circle:
            one.circle, one.level, one.torch, one.digest = number, level, torch, digest
        if len(circle) > 1:
            _rank(circle)

    def _imports(self, path: Path, text: str) -> Iterator[tuple[Path, bool]]:
        """Yield the project's files that a file seems to import, and whether at its top level."""
        for match in import_lines(_FROM, text):
            place = self.module(path, len(match["dots"]), match["module"])
            if place is None:
                continue
            if _is_file(place):
                yield place, not match["indent"]
            for name in _COMMENT.sub("", match["many"] or match["names"] or "").split(","):
                words = name.replace("\\", " ").split()
                inner = self.submodule(place, words[0]) if words else None
                if inner is None:
                    continue
                if _is_file(inner):
                    yield inner, not match["indent"]
                yield from self._named_behind(words[-1], inner, text)
        for match in import_lines(_PLAIN, text):
            for name in match["modules"].split(","):
                parts = name.split()[0].split(".") if name.split() else []
                for count in range(1, len(parts) + 1):
                    place = self.module(path, 0, ".".join(parts[:count]))
                    if place is not None and _is_file(place):
                        yield place, not match["indent"]
                words = name.split()
                if words:
                    bound = words[-1] if len(words) > 1 else parts[0]
                    place = self.module(path, 0, words[0] if len(words) > 1 else parts[0])
                    yield from self._named_behind(bound, place, text)

    def _named_behind(
        self, bound: str, place: Path | None, text: str
    ) -> Iterator[tuple[Path, bool]]:
        """Yield the modules inside a package that a text names behind it: `pkg.sub.f`."""
        if place is None or (_is_file(place) and place.name != "__init__.py"):
            return
        if f"{bound}." not in text:
            return  # searching for a pattern takes much longer
        for chain in set(re.findall(rf"\b{re.escape(bound)}((?:\.\w+)+)", text)):
            inner: Path | None = place
            for name in chain[1:].split("."):
                inner = self.submodule(inner, name) if inner is not None else None
                if inner is not None and _is_file(inner):
                    yield inner, False

    def _text(self, path: Path) -> str | None:
        try:
            if path != self._notebook:
                return files.decode(path, files.read(path))[0]
            # It loads the modules that write code, which a server needs only for conversions.
            from workbench.convert.notebook.notebook_files import open_notebook

            return open_notebook(path).program
        except TorchferryError:
            return None


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _is_file(place: Path) -> bool:
    """Return True for a module's file, False for a folder of modules."""
    return place.suffix == ".py"


def _path(file: _File) -> Path:
    return file.path


def _rank(circle: list[_File]) -> None:
    """Rank files that import each other, with files needed at import time first if possible."""
    files = {file.path: file for file in circle}
    ranked: set[Path] = set()
    order: list[_File] = []

    def visit(path: Path) -> None:
        ranked.add(path)
        for other in sorted(files[path].at_once & files.keys()):
            if other not in ranked:
                visit(other)
        order.append(files[path])

    for path in sorted(files):
        if path not in ranked:
            visit(path)
    for rank, file in enumerate(order):
        file.rank = rank


def _whole(analysis: Analysis) -> Summary:
    """Return the summary of a file; it is empty if the file is not read or not to be converted."""
    whole = analysis.parsed.error is None and not analysis.cut
    if analysis.summary is None or not whole or suppressions(analysis).whole:
        return Summary()
    return analysis.summary


class _View:
    """The modules of a project as one of its files imports them."""

    def __init__(self, project: Project, file: _File) -> None:
        self._project = project
        self._file = file

    def find(self, level: int, name: str) -> _Module | None:
        """Return a module by its dotted name, or None for one of another package."""
        place = self._project.module(self._file.path, level, name)
        return None if place is None else _Module(self._project, place, self._file.path)

    def traits(self) -> Traits:
        """Return the traits of the other files of the program."""
        return self._traits

    @cached_property
    def _traits(self) -> Traits:
        return self._project.traits(self._file.path)


class _Module:
    """A module of the project, or a folder of modules, as the file that imports it sees it."""

    def __init__(self, project: Project, place: Path, importer: Path) -> None:
        self._project = project
        self._place = place
        self._importer = importer

    def defines(self, name: str) -> bool:
        """Return whether the module's text defines a class or function; nothing is analysed."""
        return _is_file(self._place) and self._project.defines(self._place, name)

    def get(self, name: str) -> Value | None:
        """Return the module's value for a name, its submodule of that name, or None for neither."""
        value = self._summary().get(name)
        if value is not None:
            return value
        inner = self._project.submodule(self._place, name)
        if inner is None:
            return None
        return OwnModule(name, _Module(self._project, inner, self._importer))

    def public(self) -> Mapping[str, Value]:
        """Return the values that a star import of the module binds."""
        return self._summary().public

    def _summary(self) -> Summary:
        place = self._place
        known = _is_file(place) and self._project.knows(self._importer, place)
        return self._project.summary(place) if known else Summary()
