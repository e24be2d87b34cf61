"""The two programs of a port, each complete: the original in torch, and the port.

A step is verified in its final surroundings, even while other files of the project are still
torch's: in the tree of the port, these are converted as well. Both trees are outside the working
tree.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

from workbench import files
from workbench.convert.imports.helper_modules import extended
from workbench.convert.imports.helper_placement import problem
from workbench.convert.project.file_job import Job, Order, convert_job
from workbench.convert.project.folder_run import Tick
from workbench.convert.project.runner import convert_path
from workbench.convert.report.report import FileResult
from workbench.errors import TorchferryError
from workbench.ports.bridges import MARK, without_bridges
from workbench.ports.plan import CERTIFICATES, FACTS, PLAN, Plan
from workbench.ports.repository import Repository
from workbench.targets.helpers import MODULE as HELPERS


class Trees:
    """The two trees, and the result of each file's conversion."""

    def __init__(self, repository: Repository, order: Order) -> None:
        self._repository, self._order = repository, order
        name = repository.top.name
        self.original = repository.work / "original" / name / repository.prefix
        self.ported = repository.work / "ported" / name / repository.prefix
        self.results: dict[str, FileResult] = {}
        self.helper_modules: list[str] = []

    def prepare(
        self, plan: Plan, current: str, workers: int | None = None, tick: Tick = lambda d, t: None
    ) -> None:
        """Write both trees.

        Args:
            plan: the plan.
            current: a step that has begun and is not committed; empty for none.
            workers: how many processes convert at most.
            tick: called with the number of files done, and of all.
        """
        self._write_original(plan, current)
        self._order = self._moved(self._order)
        order = replace(self._order, force=True, write=True)
        report = convert_path(self.original, self.ported, order, workers=workers, tick=tick)
        self.results = {file.path: file for file in report.files}
        self.helper_modules = report.helper_modules
        for step in plan.steps:
            if step.left_out and step.done is None:
                files.copy(self.original / step.path, self.ported / step.path)
        for step in plan.steps:
            if step.done is not None:
                self.take(step.path)
        for module in self.helper_modules:
            self._join_helpers(module)

    def take(self, path: str) -> None:
        """Copy a file of the working tree, which a person may have edited, into the port."""
        if (self._repository.folder / path).is_file():
            files.copy(self._repository.folder / path, self.ported / path)

    def named(self, text: str) -> str:
        """Return a text in which files of both trees have their names in the project."""
        for tree in (self.original, self.ported):
            for folder in {tree.as_posix(), tree.resolve().as_posix(), os.path.relpath(tree)}:
                text = text.replace(f"{folder}/", "")
        return text

    def helper_module(self, path: str, code: bytes) -> str:
        """Return the module that a converted file imports its helpers from; empty for none."""
        result = self.results.get(path)
        if result is None or not result.helpers:
            return ""
        for module in self.helper_modules:
            levels = len(Path(path).parts) - len(Path(module).parts)
            relative = f"from {'.' * (levels + 1)}{HELPERS} import"
            package = Path(module).with_suffix("").as_posix().replace("/", ".")
            if relative.encode() in code or f"from {package} import".encode() in code:
                return module
        return self.helper_modules[0] if self.helper_modules else ""

    def again(self, path: str) -> FileResult:
        """Return the result of converting the port's file once more: its rows are what remains."""
        order = replace(self._order, write=False, keep=True).within(self.ported)
        file = self.ported / path
        return convert_job(Job(file, file, path), order).result

    def _moved(self, order: Order) -> Order:
        """Return the order with the project's settings as they apply to the tree."""
        settings, top = order.settings, self._repository.top.resolve()
        if settings.file is None or not settings.file.resolve().is_relative_to(top):
            return order
        base = self._repository.work / "original" / self._repository.top.name
        place = base / settings.file.resolve().relative_to(top)
        return replace(order, settings=replace(settings, file=place))

    def _write_original(self, plan: Plan, current: str) -> None:
        """Write the program in torch: the working tree, with ported files as they were before."""
        repository = self._repository
        before = {step.path: step.done.original for step in plan.steps if step.done is not None}
        if current:
            before.setdefault(current, repository.blob(current))
        own = {step.done.helper_module for step in plan.steps if step.done is not None}
        wanted: set[Path] = set()
        for path in repository.tracked():
            source, place = repository.folder / path, self.original / path
            ours = path in (PLAN, FACTS) or path.startswith(f"{CERTIFICATES}/") or path in own
            if ours or not source.is_file() or source.is_symlink():
                continue
            wanted.add(place)
            if path in before:
                data = _without_bridges(place, repository.content(before[path], path))
                if not place.exists() or place.read_bytes() != data:
                    files.write(place, data)
            elif not _is_same(source, place):
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, place)
                if place.suffix == ".py" and MARK in (data := files.read(place)):
                    files.write(place, _without_bridges(place, data))
        for place in [one for one in self.original.rglob("*") if one.is_file()]:
            if place not in wanted and "__pycache__" not in place.parts:
                place.unlink()

    def _join_helpers(self, module: str) -> None:
        """Give the port's helper module the text of the working tree's, with what that lacks."""
        there = self._repository.folder / module
        if not there.is_file():
            return
        text = files.decode(there, files.read(there))[0]
        if problem(text):
            raise TorchferryError(f"{there}: {problem(text)}; correct it first")
        names = {name for result in self.results.values() for name in result.helpers}
        whole = extended(text, names, self._order.aim)
        files.write(self.ported / module, whole.encode())


def _without_bridges(place: Path, data: bytes) -> bytes:
    """Return a file's content without the lines by which it uses ported modules."""
    if place.suffix != ".py" or MARK not in data:
        return data
    text, encoding = files.decode(place, data)
    return without_bridges(text).encode(encoding)


def _is_same(source: Path, place: Path) -> bool:
    """Return whether a copy has its source's size and time."""
    if not place.exists():
        return False
    one, other = source.stat(), place.stat()
    return (one.st_size, one.st_mtime_ns) == (other.st_size, other.st_mtime_ns)
