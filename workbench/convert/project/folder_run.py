"""Conversion of a folder: its code, its dependencies, and copies of the other files."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path, PurePosixPath

from workbench import files
from workbench.convert.configuration.keys import INLINE
from workbench.convert.dependencies.file_formats import is_dependency_file
from workbench.convert.dependencies.replacement import convert_dependencies
from workbench.convert.dependencies.requirement import Family
from workbench.convert.imports import helper_placement
from workbench.convert.imports.helper_modules import extended, kept
from workbench.convert.notebook.notebook_files import programs_in
from workbench.convert.project.file_job import (
    Done,
    Job,
    Order,
    convert_job,
    digest,
    packages_of,
    put,
)
from workbench.convert.project.journal import Journal
from workbench.convert.project.pool import results
from workbench.convert.report.report import FileResult, Report, rows_of
from workbench.convert.report.unified_diff import difference
from workbench.errors import TorchferryError
from workbench.importing import RECORD
from workbench.source.packages import may_use_torch
from workbench.targets import Target

Tick = Callable[[int, int], None]


def check_no_link(folder: Path) -> None:
    """Refuse to write through a link, to a place that the user did not name."""
    if folder.is_symlink():
        raise TorchferryError(
            f"{folder} is a link to {folder.readlink()}; remove it, or give the folder itself with"
            " -o"
        )


class FolderRun:
    """One run over a folder."""

    def __init__(
        self,
        source: Path,
        output: Path | None,
        order: Order,
        report: Report,
        workers: int | None,
        only: Collection[Path] | None,
        tick: Tick,
    ) -> None:
        self.source, self.output, self.order, self.report = source, output, order, report
        self.workers, self.only, self.tick = workers, only, tick
        self.target: Target = order.aim
        self.journal = Journal(output) if output is not None and order.write else None
        self.places: dict[str, helper_placement.Place] = {}
        self.users: Counter[PurePosixPath] = Counter()  # of each module of helpers
        self.layout = helper_placement.Layout({})
        self.still_torch: set[str] = set()
        self.folders: set[Path] = set()

    def run(self) -> None:
        """Convert, copy, and finally handle files that depend on the other results."""
        if self.journal is not None:
            self.journal.begin()
        try:
            self._all()
        except BaseException:
            if self.journal is not None and self.output is not None:
                self.journal.close()
                files.remove_unfinished(self.output)
            raise
        if self.journal is not None:
            self.journal.finish()

    def _all(self) -> None:
        code, late, rest = [], [], []
        for file in files.walk(self.source, self._failed):
            excluded = self.order.settings.excludes(file)
            path = self._path(file)
            if path == RECORD or not self._is_wanted(file):
                continue
            if self.output is not None:
                self._check_folders(self.output / path, self.output)
            if file.is_symlink() and (self.output is None or self._linked(file, excluded)):
                continue
            if not excluded and is_dependency_file(path):
                late.append(file)
            elif not excluded and files.is_code(file):
                code.append(file)
            else:
                rest.append((file, excluded))
        total = len(code) + len(late) + len(rest)
        self._plan_helpers([*code, *late])
        own = self.target.facts.own_packages
        if any(may_use_torch(text, own) for text in self.layout.texts.values()):
            self.order = self.order.within(self.source)
        count = 0
        # In place, nothing is written until all files have been read for each other.
        waits = self.order.in_place and self.order.write
        order = replace(self.order, write=False, keep=True) if waits else self.order
        waiting = []
        for done in results([self._job(file) for file in code], order, self.workers):
            if waits:
                waiting.append(done)
            else:
                self._take(done)
            count += 1
            self.tick(count, total)
        for done in waiting:
            self._overwrite(done)
        for file, excluded in rest:
            self._copy(file, excluded)
            count += 1
            self.tick(count, total)
        self._write_helpers()
        for file in late:
            self._depend(file)
            count += 1
            self.tick(count, total)

    def _is_wanted(self, file: Path) -> bool:
        return self.only is None or Path(os.path.realpath(file.parent), file.name) in self.only

    def _path(self, file: Path) -> str:
        return file.relative_to(self.source).as_posix()

    def _failed(self, file: Path, message: str) -> None:
        self.report.files.append(FileResult(self._path(file), failure=message))

    def _linked(self, file: Path, excluded: bool) -> bool:
        """Return whether a link is done: copied as a link, or to a folder and not followed."""
        assert self.output is not None
        path = self._path(file)
        try:
            if not self.order.write:
                return file.is_dir()
            if files.copy_link(file, self.output / path, self.source):
                self.report.files.append(FileResult(path))
                return True
        except (OSError, TorchferryError) as error:
            self._failed(file, str(error))
            return True
        outside = not files.is_inside(file, self.source)
        if file.is_dir() or (outside and file.exists()):
            kind = "folder" if file.is_dir() else "file"
            place = "outside the project" if outside else "by its absolute path"
            if not excluded:
                self._failed(
                    file,
                    f"{file}: a link to a {kind} {place}, which is not followed; replace the link"
                    " by the"
                    f" {kind}, or exclude it",
                )
            return True
        return False

    def _check_folders(self, place: Path, output: Path) -> None:
        """Refuse to write if a folder between the output and a file is a link."""
        for folder in place.parents:
            if folder == output or folder in self.folders:
                break
            check_no_link(folder)
            self.folders.add(folder)

    def _plan_helpers(self, code: list[Path]) -> None:
        texts = programs_in(code, self.source)
        self.layout = helper_placement.Layout(texts)
        for path in texts:
            place = None if self.order.helpers == INLINE else self.layout.place(path)
            if place is not None and not self._taken(place):
                self.places[str(path)] = place
        self.users = self.layout.users(self.target.facts.own_packages)

    def _taken(self, place: helper_placement.Place) -> bool:
        """Return whether something that is not ours has the helper module's name."""
        return self.source.joinpath(place.file).exists() and place.file not in self.layout.texts

    def _job(self, file: Path) -> Job:
        path = self._path(file)
        place = self.places.get(path)
        journal = self.journal
        return Job(
            file,
            file if self.output is None else self.output / path,
            path,
            helpers_from=place.spelled if place else None,
            shared=place is not None and self.users[place.file] > 1,
            written=self._known(path),
            earlier=journal.earlier.get(path) if journal else None,
        )

    def _overwrite(self, done: Done) -> None:
        """Write a converted file over its source."""
        file = self.source / done.result.path
        try:
            if done.code is not None:
                files.check_writable(file)
                files.write(file, done.code, like=file)
        except TorchferryError as error:
            done = Done(replace(done.result, rows=[], failure=str(error)))
            done.result.full = isinstance(error, files.DiskFullError)
        self._take(done)

    def _take(self, done: Done) -> None:
        """Note a result, and stop if continuing would only fail again."""
        result = done.result
        if result.full:
            raise files.DiskFullError(result.failure or "")
        self.report.files.append(result)
        if result.failure:
            file = self.source / result.path
            self.still_torch |= packages_of(file)
        self.still_torch.update(result.packages)
        if self.journal is not None:
            self.journal.note(done)

    def _copy(self, file: Path, excluded: bool) -> None:
        path = self._path(file)
        result = FileResult(path, excluded=excluded)
        if excluded and files.is_code(file):
            self.still_torch |= packages_of(file)
        done = Done(result)
        try:
            if self.output is not None and self.order.write:
                done.written = self._copied(file, self.output / path, path)
        except TorchferryError as error:
            result.failure = str(error)
            result.full = isinstance(error, files.DiskFullError)
        self._take(done)

    def _copied(self, file: Path, place: Path, path: str) -> str:
        """Copy a file unless its copy is up to date; return the copy's stamp."""
        known = self._known(path)
        stamp = _stamp(place)
        if stamp is not None and stamp != known and not self.order.force:
            if files.read(place) == files.read(file):
                return stamp
            raise TorchferryError(
                f"{place}: exists, and was not written by a conversion or was changed since; give"
                " another folder with -o, or overwrite it with --force"
            )
        if stamp is None or stamp != known or not _newer(place, file):
            files.copy(file, place)
        return _stamp(place) or ""

    def _depend(self, file: Path) -> None:
        """Convert a file of dependencies, given the results of the other files."""
        job = replace(self._job(file), helpers_from=None, earlier=None)
        aim = self.target
        family = Family(aim.packages, aim.version, frozenset(self.still_torch), aim.brings_all)
        done = Done(FileResult(job.path, kind="dependencies"))
        try:
            self._convert_dependencies(job, family, done)
        except TorchferryError as error:
            done = Done(done.result)
            done.result.failure = str(error)
            done.result.full = isinstance(error, files.DiskFullError)
        self._take(done)

    def _convert_dependencies(self, job: Job, family: Family, done: Done) -> None:
        data = files.read(job.source)
        text, encoding = files.decode(job.source, data)
        code, result = text, done.result
        if job.source.suffix in files.PYTHON:
            code = self._setup(job, done, data).decode(encoding)
            result = done.result
            if result.failure:
                return
        changed = convert_dependencies(job.path, code, family)
        result.converted = True
        result.rows += rows_of(
            self.order.settings.judged(changed.findings, job.source),
            code,
            changed.code,
            changed.line_map,
        )
        new = changed.code.encode(encoding) if changed.code != text else data
        result.changed = new != data
        done.written = digest(new)
        if self.order.diff:
            result.diff = difference(text, changed.code, job.path)
        if self.order.write:
            put(job, self.order, new, data)

    def _setup(self, job: Job, done: Done, data: bytes) -> bytes:
        """Return the converted code of a setup.py, not written yet."""
        kept = convert_job(job, replace(self.order, write=False, diff=False, keep=True))
        done.result = kept.result
        return data if kept.code is None else kept.code

    def _write_helpers(self) -> None:
        """Write the modules of helpers that converted files import."""
        wanted: dict[PurePosixPath, set[str]] = {}
        for file in self.report.files:
            if file.helpers:
                wanted.setdefault(self.places[file.path].file, set()).update(file.helpers)
        for path, names in sorted(wanted.items()):
            there = self.layout.texts.get(path)
            text = extended(there or "", names, self.target)
            self.report.helper_modules.append(str(path))
            self.report.note_kept(str(path), kept(there or "", names, self.target))
            self.report.files = [file for file in self.report.files if file.path != str(path)]
            result = FileResult(str(path), kind="helpers", changed=text != there)
            done = Done(result, written=digest(text.encode()))
            place = (self.output or self.source) / path
            job = Job(self.source / path, place, str(path), written=self._known(str(path)))
            if self.order.diff:
                result.diff = difference(there or "", text, str(path))
            if self.order.write:
                try:
                    put(job, self.order, text.encode(), (there or "").encode())
                except TorchferryError as error:
                    done = Done(result)
                    result.failure = str(error)
                    result.full = isinstance(error, files.DiskFullError)
            self._take(done)

    def _known(self, path: str) -> str | None:
        return self.journal.written.get(path) if self.journal else None


def _stamp(file: Path) -> str | None:
    """Return a stamp that changes with a copied file, at a cost independent of its size."""
    try:
        state = file.stat()
    except OSError:
        return None
    return f"{state.st_size} {state.st_mtime_ns}"


def _newer(place: Path, file: Path) -> bool:
    """Return whether a copy was made after its source was last written."""
    return place.stat().st_mtime_ns >= file.stat().st_mtime_ns
