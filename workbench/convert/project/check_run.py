"""Files checked on all cores, and overwritten with their conversions on request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from workbench import files
from workbench.convert.configuration.beginning import project_of, seen_from
from workbench.convert.configuration.keys import INLINE, MODULE
from workbench.convert.imports import helper_placement
from workbench.convert.imports.helper_modules import extended
from workbench.convert.notebook.notebook_files import programs_in
from workbench.convert.project.cache import Cache, Keys
from workbench.convert.project.file_job import Done, Job, Order, with_deep_stack
from workbench.convert.project.pool import results
from workbench.convert.project.share import WHOLE, Share
from workbench.convert.project.single_file import helper_module_of
from workbench.convert.project.vcs import kept_files
from workbench.convert.report.report import FileResult, Row
from workbench.convert.report.unified_diff import difference
from workbench.errors import TorchferryError


@dataclass(frozen=True, slots=True)
class HelperModule:
    """The module that a file imports helpers from, by its name in the file and its path.

    `shared` says that it also has the short helpers, which files can define themselves.
    """

    spelled: str
    file: Path
    shared: bool


@dataclass(frozen=True, slots=True)
class CheckRun:
    """A file or a folder that was checked: its files in order, each with its result.

    `modules` are the modules that fixes import helpers from, by the files that they are for.
    """

    path: Path
    order: Order
    done: list[tuple[Job, Done]]
    modules: Mapping[Path, HelperModule]

    @property
    def found(self) -> list[FileResult]:
        """The findings, file by file."""
        return [done.result for _, done in self.done]

    def check_kept(self) -> None:
        """Refuse to overwrite content that git could not restore.

        Raises:
            TorchferryError: there is such a file.
        """
        there = [module.file for module in self._helpers() if module.before]
        touched = [*(file for file, _ in self._changed), *there]
        kept = kept_files(self.path) if touched else ()
        lost = [file for file in touched if file.resolve() not in kept]
        if lost:
            more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
            raise TorchferryError(
                f"{lost[0]}{more}: differs from git's content, so nothing is written; commit or"
                " stage"
                " it first, or use --force to overwrite it"
            )

    def write(self) -> list[FileResult]:
        """Write what was converted over the sources; the helper modules that came with it.

        Raises:
            TorchferryError: a file cannot be written; if it is read-only, nothing is.
        """
        for job, done in self.done:
            if done.code is not None:
                files.check_writable(job.place)
        for file, code in self._changed:
            files.write(file, code, like=file)
        modules = list(self._helpers())
        for module in modules:
            files.write(module.file, module.after.encode())
        return [module.result for module in modules]

    @property
    def _changed(self) -> list[tuple[Path, bytes]]:
        """Return the files to write and their content; a link is replaced by its destination."""
        return [
            (job.source.resolve(), done.code) for job, done in self.done if done.code is not None
        ]

    def diffs(self) -> Iterator[str]:
        """Yield the changes to be written, as unified diffs."""
        for result in [*self.found, *(module.result for module in self._helpers())]:
            yield result.diff

    def _helpers(self) -> Iterator[_Module]:
        """Yield the modules of helpers that the converted files import."""
        wanted: dict[Path, set[str]] = {}
        for job, done in self.done:
            if done.result.helpers:
                file = self.modules[job.place].file
                wanted.setdefault(file, set()).update(done.result.helpers)
        for file, names in sorted(wanted.items()):
            before = files.decode(file, files.read(file))[0] if file.exists() else ""
            yield _Module(file, before, extended(before, names, self.order.aim))


@dataclass(frozen=True, slots=True)
class _Module:
    """A module of helpers, before and after."""

    file: Path
    before: str
    after: str

    @property
    def result(self) -> FileResult:
        diff = difference(self.before, self.after, str(self.file).lstrip("/"))
        return FileResult(str(self.file), kind="helpers", changed=bool(diff), diff=diff)


def check_path(
    path: Path,
    order: Order,
    failed: Callable[[Path, str], None],
    workers: int | None = None,
    cache: Cache | None = None,
    share: Share = WHOLE,
    seen: Collection[Path] = (),
) -> CheckRun:
    """Check a file, or a folder's Python files and notebooks, and its Markdown for examples.

    A file is read in the light of its project, as a folder's files are of each other.

    Args:
        path: the file or folder.
        order: what is wanted.
        failed: called with what of the folder cannot be read.
        workers: how many processes work at most; as many as there are cores where None.
        cache: what earlier runs found; None for none.
        share: the files to check; the others are read in their light all the same.
        seen: the resolved paths of files to leave out.
    """
    order = replace(order, check=True, write=False)
    root = path if path.is_dir() else project_of(path)
    order = order.within(root)
    found = [
        file for file in code_files(path, order, failed) if not seen or file.resolve() not in seen
    ]
    modules = _helper_modules(path, found, order) if order.fix else {}
    jobs = [
        _job(root, file, modules.get(file))
        for file in found
        if share.has(file.relative_to(path).as_posix() if path.is_dir() else file.as_posix())
    ]
    known = _known(jobs, order, cache) if cache is not None and not order.fix else {}
    done = {path: entry for path, (_, entry) in known.items() if entry is not None}
    for one in results([job for job in jobs if job.path not in done], order, workers):
        done[one.result.path] = one
        if cache is not None and one.result.path in known and not one.result.failure:
            cache.put(known[one.result.path][0], [row.packed() for row in one.result.rows])
    if cache is not None:
        cache.trim()
    return CheckRun(path, order, [(job, done[job.path]) for job in jobs], modules)


def _job(root: Path | None, file: Path, module: HelperModule | None) -> Job:
    job = Job(seen_from(root, file), file, str(file))
    return replace(job, helpers_from=module.spelled, shared=module.shared) if module else job


def _known(jobs: Sequence[Job], order: Order, cache: Cache) -> dict[str, tuple[str, Done | None]]:
    """Map each path to a file's key in the cache and the findings of an earlier run."""
    found: dict[str, tuple[str, Done | None]] = {}
    keys = Keys(order)

    def look() -> None:
        for job in jobs:
            with suppress(TorchferryError):  # it cannot be read, which its check will report
                key = keys.of(job)
                found[job.path] = key, _result(job, cache.get(key))

    with_deep_stack(look)
    return found


def _result(job: Job, rows: object) -> Done | None:
    """Return a result from the cache, or None if there is none."""
    if not isinstance(rows, list):
        return None
    try:
        return Done(FileResult(job.path, rows=[Row.unpacked(row) for row in rows]))
    except TypeError:
        return None


def _helper_modules(path: Path, found: Sequence[Path], order: Order) -> dict[Path, HelperModule]:
    """Map each file to the module that its fixes import helpers from, as in a conversion."""
    root, asked = order.root, order.helpers == MODULE
    if order.helpers == INLINE:
        return {}
    if root is None:
        spelled = helper_module_of(path, path, replace(order, write=True))[0]
        if spelled is None:
            return {}
        return {path: HelperModule(spelled, helper_placement.module_file(path, spelled), asked)}
    every = found if path.is_dir() else list(code_files(root, order, lambda file, message: None))
    texts = programs_in(every, root)
    layout = helper_placement.Layout(texts)
    users = layout.users(order.aim.facts.own_packages) if path.is_dir() else Counter()
    modules = {}
    for file in found:
        name = PurePosixPath(seen_from(root, file).relative_to(root))
        place = layout.place(name) if name in texts else None
        if place is not None and (place.file in texts or not (root / place.file).exists()):
            shared = asked or users[place.file] > 1
            modules[file] = HelperModule(place.spelled, root / place.file, shared)
    return modules


def code_files(path: Path, order: Order, failed: Callable[[Path, str], None]) -> Iterator[Path]:
    """Yield the file itself, or a folder's files of code, without excluded ones.

    A link in a folder is skipped: its destination is checked where it is.
    """
    if not path.is_dir():
        if not order.settings.excludes(path):
            yield path
        return
    for file in files.walk(path, failed):
        wanted = files.is_code(file) or (order.examples and file.suffix in files.MARKDOWN)
        if wanted and not _is_link_to_file(file) and not order.settings.excludes(file):
            yield file


def _is_link_to_file(file: Path) -> bool:
    return file.is_symlink() and file.exists()
