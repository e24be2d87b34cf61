"""One file of a project, from reading to writing: the task of a worker process."""

from __future__ import annotations

import hashlib
import re
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from workbench import files
from workbench.codes import THIRD_PARTY
from workbench.convert.configuration.beginning import project_of, seen_from
from workbench.convert.configuration.keys import MODULE
from workbench.convert.configuration.settings import Settings
from workbench.convert.conversion import convert_analysis
from workbench.convert.findings.messages import TOO_DEEP
from workbench.convert.findings.suppressions import suppressions
from workbench.convert.imports.helper_modules import HelperImport
from workbench.convert.notebook.notebook_files import (
    convert_notebook,
    read_notebook,
)
from workbench.convert.project.module_graph import Project
from workbench.convert.report.report import FileResult, note_counts, note_failure, rows_of
from workbench.convert.report.syntax_advice import next_step
from workbench.convert.report.unified_diff import difference
from workbench.errors import SourceError, TorchferryError
from workbench.source.analysis import Analysis, analyse
from workbench.source.packages import may_use_torch
from workbench.targets import NATIVE, PLAIN, Target
from workbench.targets.own import aim, read
from workbench.version import __version__

# Room for expressions nested some thousand deep; pages of a stack are allocated when used.
_STACK = 512 << 20
_DEPTH = 20_000
# The tree of a text takes about a hundred bytes for each of its characters.
_ROOM = 1_000_000
_FAMILY = re.compile(r"^[ \t>.]*(?:from|import)[ \t]+(torch\w*)", re.MULTILINE)


# The project of the latest run.
_projects: dict[tuple[Path, int], Project] = {}


@dataclass(frozen=True, slots=True)
class Order:
    """The options for every file of a run."""

    target: str
    settings: Settings
    write: bool = True
    diff: bool = False
    force: bool = False
    in_place: bool = False
    keep: bool = False  # return the converted content with the result
    check: bool = False  # report the outcome of each use, as far as the file can be read
    fix: bool = False  # also convert the findings, as far as they convert
    examples: bool = False  # also check code in docstrings
    helpers: str | None = None  # where helper functions go: MODULE or INLINE
    rules: Path | None = None  # the module of the project's own rules, which is run
    root: Path | None = None  # the folder of the project whose files are read for each other
    notebook: Path | None = None  # the notebook whose program the project is
    under: str | None = None  # check the program under this layer of the target
    run: int = 0  # distinguishes runs of the same process

    @property
    def aim(self) -> Target:
        """The target with the project's own rules, and with the layer to check under.

        Raises:
            TorchferryError: the target has no such layer, or it cannot be imported.
        """
        found = aim(self.target, self.rules, self.settings.style, self.settings.init)
        if self.under is None:
            return found
        if self.under not in found.layers:
            raise TorchferryError(f"{found.title} has no layer for torch; omit --under")
        layer = found.layers[self.under]()
        return replace(found, under=layer, style=PLAIN, init=NATIVE)  # as the layer draws weights

    def within(self, root: Path | None) -> Order:
        """Return the order for a file or folder that is read with the project in a folder."""
        if root is None:
            return self
        return replace(self, root=root, run=self.run or time.monotonic_ns())

    @property
    def project(self) -> Project | None:
        """The project of a run, read once in each process."""
        if self.root is None:
            return None
        key = (self.root, self.run)
        if key not in _projects:
            _projects.clear()
            _projects[key] = Project(self.root, self.settings, self.aim.facts, self.notebook, _ROOM)
        return _projects[key]


@dataclass(frozen=True, slots=True)
class Job:
    """One file to convert: from where, to where, and what an earlier run left there.

    `helpers_from` is the module to import helpers from, `shared` says that other files do so too,
    so that even a short helper is defined there. `written` is the digest of what an earlier
    run wrote to `place`; `earlier` the digest of what it read, and its result.
    """

    source: Path
    place: Path
    path: str
    helpers_from: str | None = None
    written: str | None = None
    earlier: tuple[str, dict[str, Any]] | None = None
    single: bool = False
    shared: bool = False

    def helper_import(self, few_inline: bool = True) -> HelperImport | None:
        """Return the module that the file imports its helpers from; None if it defines them."""
        few_inline = few_inline and not self.shared
        return HelperImport(self.helpers_from, few_inline) if self.helpers_from else None


@dataclass(slots=True)
class Done:
    """A file's result, with the digests of what was read and of what was written.

    `code` is the converted content, where it was to be kept.
    """

    result: FileResult
    read: str = ""
    written: str = ""
    code: bytes | None = None


def digest(data: bytes) -> str:
    """Return a content hash."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def with_deep_stack(action: Callable[[], Any]) -> Any:
    """Run a function with room for deep recursion; return its result, or raise its error."""
    outcome: list[Any] = []
    problem: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(action())
        except BaseException as error:
            problem.append(error)

    limit = sys.getrecursionlimit()
    size = threading.stack_size(_STACK)
    try:
        sys.setrecursionlimit(max(limit, _DEPTH))
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)
    if problem:
        raise problem[0]
    return outcome[0]


def analysed(file: Path, text: str, target: Target, project: Project | None) -> Analysis:
    """Return the analysis of a file, in the light of those of its project that it imports."""
    if project is None:
        return analyse(text, facts=target.facts)
    return project.analyse(seen_from(project.root, file), text)


def convert_bytes(
    data: bytes, name: Path, settings: Settings, rules: Path | None = None
) -> tuple[bytes, FileResult]:
    """Convert content that may not be a file, such as standard input; a file with its project.

    Raises:
        TorchferryError: it does not parse.
    """
    result = FileResult(str(name), kind=_kind(name))
    order = Order(settings.target, settings, write=False, rules=rules)
    if files.is_file(name):
        order = order.within(project_of(name))
    return _new(Job(name, name, str(name), single=True), order, data, result), result


def convert_job(job: Job, order: Order) -> Done:
    """Convert a file; a failure is in its result, and nothing is raised."""
    return guarded(job, order, _convert)


def guarded(job: Job, order: Order, work: Callable[[Job, Order, Done], None]) -> Done:
    """Run an action on a file; a failure is in its result, and nothing is raised."""
    result = FileResult(job.path, kind=_kind(job.source))
    done = Done(result)
    try:
        work(job, order, done)
    except TorchferryError as error:
        note_failure(result, str(error))
        result.full = isinstance(error, files.DiskFullError)
    except Exception as error:
        # Any other failure in one file must not affect the others.
        note_failure(
            result,
            f"{job.source}: the conversion failed ({type(error).__name__}: {error}); please report"
            " this, and exclude the file until then",
        )
    return done


def _kind(file: Path) -> str:
    return "notebook" if file.suffix == files.NOTEBOOK else "python"


def _convert(job: Job, order: Order, done: Done) -> None:
    data = files.read(job.source)
    project = order.project
    settings = order.settings
    about = f"{__version__} {order.target} {settings.style} {settings.init} {order.helpers}"
    about = f"{about} {settings.reported}"
    if project is not None:
        about = f"{about} {' '.join(project.evidence(job.source))}"
    if order.rules is not None:
        about = f"{about} {read(order.target, order.rules).digest}"
    done.read = digest(f"{about} {job.helpers_from} {job.shared}\n".encode() + data)
    if job.earlier is not None and job.earlier[0] == done.read and _is_unchanged(job):
        done.result = FileResult.from_json(job.earlier[1])
        done.written = job.written or ""
        return
    result = done.result
    new = _new(job, order, data, result)
    result.changed = new != data
    done.written = digest(new)
    if order.keep and result.changed:
        done.code = new
    if order.diff and result.changed:
        old, encoding = text_of(job.source, data)
        result.diff = difference(old, new.decode(encoding), job.path)
    if order.write:
        put(job, order, new, data)


def _new(job: Job, order: Order, data: bytes, result: FileResult) -> bytes:
    """Return a file's converted content."""
    text, encoding = text_of(job.source, data)
    result.lines = text.count("\n") + (not text.endswith("\n") and bool(text))
    project = order.project
    uses = may_use_torch(text, order.aim.facts.own_packages)
    if not uses and not (project and project.reaches_torch(job.source)):
        result.converted = True
        return data
    convert = _notebook if result.kind == "notebook" else _python
    code = convert(job, order, text, result)
    return encoded(job.source, code, encoding) if code != text else data


def text_of(source: Path, data: bytes) -> tuple[str, str]:
    """Return a file's text and encoding.

    Raises:
        TorchferryError: it is not text.
    """
    if source.suffix != files.NOTEBOOK:
        return files.decode(source, data)
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        raise TorchferryError(
            f"{source}: not a notebook: not UTF-8 ({error}); save it again from Jupyter"
        ) from error


def encoded(source: Path, code: str, encoding: str) -> bytes:
    """Return a file's converted text as it is written.

    Raises:
        TorchferryError: the encoding of the file lacks some of it.
    """
    try:
        return code.encode(encoding)
    except UnicodeEncodeError as error:
        raise TorchferryError(
            f"{source}: its conversion has characters that {encoding} does not have; save it as"
            " UTF-8, then convert again"
        ) from error


def _python(job: Job, order: Order, text: str, result: FileResult) -> str:
    target = order.aim
    analysis = analysed(job.source, text, target, order.project)
    error = analysis.parsed.error
    if error is not None and not suppressions(analysis).whole:
        at = error.position
        place = f"{job.source}:{at.line + 1}:{at.column + 1}"
        raise TorchferryError(f"{place}: {error.message}; {next_step(text, error.message)}")
    if analysis.cut:
        raise TorchferryError(f"{job.source}: {TOO_DEEP}")
    try:
        conversion = convert_analysis(
            analysis, target, helper_import=job.helper_import(order.helpers != MODULE)
        )
    except SourceError as failure:
        raise failure.placed(str(job.source)) from failure
    note_counts(result, conversion)
    found = list(order.settings.judged(conversion.findings, job.source))
    result.rows = rows_of(found, text, conversion.code, conversion.line_map)
    result.helpers = conversion.helpers if conversion.helpers_from else ()
    _needs(result, conversion.code)
    return conversion.code


def _notebook(job: Job, order: Order, text: str, result: FileResult) -> str:
    notebook = read_notebook(text, str(job.source))
    if not notebook.is_python:
        result.kind = "other"
        return text
    project = order.project if order.notebook == job.source else None
    conversion = convert_notebook(
        notebook,
        order.aim,
        str(job.source),
        helper_import=job.helper_import(order.helpers != MODULE),
        analysed=partial(project.analyse, job.source) if project else None,
        keep_broken=project is not None,
    )
    note_counts(result, conversion.whole)
    result.helpers = conversion.whole.helpers if conversion.whole.helpers_from else ()
    for cell, part in conversion.cells:
        found = list(order.settings.judged(part.findings, job.source))
        result.rows += rows_of(found, cell.source, part.code, part.line_map, cell.number)
        _needs(result, part.code)
        result.cleared += cell.cleared
    return conversion.text


def _needs(result: FileResult, code: str) -> None:
    """Note which packages of torch's family converted code still imports."""
    found = set(_FAMILY.findall(code)) | set(result.packages)
    if any(row.code == THIRD_PARTY for row in result.rows):
        found.add("torch")
    result.packages = tuple(sorted(found))


def packages_of(file: Path) -> set[str]:
    """Return the packages of torch's family that a file that stays as it is imports."""
    try:
        return set(_FAMILY.findall(file.read_bytes().decode("utf-8", errors="replace")))
    except OSError:
        return set()


def _is_unchanged(job: Job) -> bool:
    """Return whether what an earlier run wrote is still there."""
    try:
        return job.place.is_file() and digest(job.place.read_bytes()) == job.written
    except OSError:
        return False


def put(job: Job, order: Order, new: bytes, old: bytes) -> None:
    """Write a converted file, but not over what somebody else has put there."""
    if order.in_place:
        if new != old:
            if job.source.exists():
                files.check_writable(job.source)
            files.write(job.source, new, like=job.source if job.source.exists() else None)
        return
    if not job.single and not order.force and job.place.is_file():
        there = files.read(job.place)
        if there == new:
            return
        if digest(there) != job.written:
            raise TorchferryError(
                f"{job.place}: exists, and was not written by a conversion or was changed since;"
                " give"
                " another folder with -o, or overwrite it with --force"
            )
    files.write(job.place, new, like=job.source if job.source.exists() else None)
