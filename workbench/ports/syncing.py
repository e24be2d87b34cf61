"""A port that follows its original: a change of the original is converted as a change.

The original before and after its change are both converted. The difference between the two is
merged into the port as people have edited it since, by the three-way merge of git. An edited line
is kept, or it is in a conflict that shows both readings.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from workbench import files
from workbench.convert.imports.helper_modules import extended
from workbench.convert.project.file_job import Order
from workbench.convert.project.runner import convert_path
from workbench.convert.report.report import Report
from workbench.errors import TorchferryError
from workbench.ports.folder import drop_step, save_step
from workbench.ports.messages import ORIGINAL, STEP, sync_message
from workbench.ports.plan import CERTIFICATES, FACTS, PLAN, Plan, Step, Verified
from workbench.ports.repository import Repository
from workbench.ports.runs import DIFFERS
from workbench.ports.steps import Porter

_STATE = "sync.json"
_MARK = b"<<<<<<< "
_NAMES = ("the port", "the original before, converted", "the original now, converted")


@dataclass(slots=True)
class Sync:
    """A change of the original that was merged and is not committed.

    Attributes:
        commit: the original now.
        changed: the files that the merge wrote.
        removed: the files that it removed.
        conflicts: the files with conflicts, each with what to do.
        fresh: files that are new in the original, and still torch's.
    """

    commit: str
    changed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    conflicts: dict[str, str] = field(default_factory=dict)
    fresh: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Synced:
    """The result: the commit, or the reasons why there is none yet."""

    sync: Sync
    commit: str = ""
    reasons: tuple[str, ...] = ()
    verified: tuple[tuple[str, Verified], ...] = ()


@dataclass(frozen=True, slots=True)
class _Converted:
    """The original at one revision, and its conversion, in two folders."""

    original: Path
    ported: Path
    report: Report

    def paths(self) -> set[str]:
        """Return the files of the original, by their paths in it."""
        root = self.original
        return {one.relative_to(root).as_posix() for one in root.rglob("*") if one.is_file()}

    def file(self, path: str, ported: bool) -> Path:
        """Return a file of the original, or its port."""
        return (self.ported if ported else self.original) / path


class Follower:
    """Merges changes of the original into the port of a folder."""

    def __init__(self, porter: Porter, say: Callable[[str], None]) -> None:
        self._porter, self._say = porter, say
        self._repository: Repository = porter.repository
        self._folder = porter.folder
        self._place = self._repository.work / _STATE

    def begin(self, original: str, workers: int | None = None) -> Synced:
        """Merge the original's change up to a revision of git, or up to a folder.

        Raises:
            TorchferryError: the working tree has uncommitted changes, another merge has begun, or
                there is no such revision.
        """
        if self._place.exists():
            raise TorchferryError(
                "a sync has begun and is not committed; finish it with torchferry sync --continue,"
                " or take it back with torchferry sync --abort"
            )
        self._porter.check_ready()
        before = base_of(self._repository)
        after = self._revision(original)
        if before == after:
            raise TorchferryError(f"{original}: the port follows this revision already")
        trees = [
            self._converted(commit, name, workers)
            for commit, name in ((before, "before"), (after, "after"))
        ]
        sync = Sync(after)
        merged = self._merge(sync, *trees)
        self._record(sync)
        for path, data in merged.items():
            place = self._folder / path
            if data is None:
                place.unlink()
            else:
                files.write(place, data, like=place if place.exists() else None)
        return self.finish()

    def resume(self) -> Synced:
        """Go on after a person has resolved conflicts or edited the port.

        Raises:
            TorchferryError: no merge has begun.
        """
        if not self._place.exists():
            raise TorchferryError("no sync has begun; start one with torchferry sync ORIGINAL")
        return self.finish()

    def abort(self) -> list[str]:
        """Restore the files that the merge wrote; edits of conflicts are lost.

        Raises:
            TorchferryError: no merge has begun.
        """
        sync = self._read()
        paths = [*sync.changed, *sync.removed]
        self._repository.restore(paths)
        self._place.unlink()
        return paths

    def finish(self) -> Synced:
        """Verify what the change touches, and commit it, unless something needs a person."""
        sync = self._read()
        lines = {path: self._conflict(path) for path in sync.conflicts}
        reasons = tuple(f"{path}:{n}: {sync.conflicts[path]}" for path, n in lines.items() if n)
        if reasons:
            return Synced(sync, reasons=reasons)
        plan = self._porter.plan
        gone, certificates = self._dropped(plan, sync)
        self._repository.stage([*sync.changed, *sync.removed])
        touched = self._touched(plan, sync)
        self._note_originals(plan, sync)
        self._porter.prepare()
        verified: list[tuple[str, Verified]] = []
        bad: list[str] = []
        for step in touched:
            self._say(f"verifying {step.path}")
            before = [one.certificate for one in step.done.verified] if step.done else []
            found, written = self._porter.verify_again(step, sync.commit)
            # A model that a person deleted from the plan leaves its certificate behind.
            stale = [place for place in before if place and place not in written]
            for place in stale:
                (self._folder / place).unlink(missing_ok=True)
            certificates += [*written, *stale]
            verified += [(step.path, one) for one in found]
            if not step.accepted:
                bad += [f"{step.path}: {_words(one)}" for one in found if one.outcome == DIFFERS]
        if bad:
            # Certificates of a port that differs are not kept.
            self._repository.restore(certificates)
            return Synced(sync, reasons=tuple(bad), verified=tuple(verified))
        for step in plan.steps:
            if step.done is not None:
                save_step(self._folder, plan, step)
        for path in gone:
            drop_step(self._folder, plan, path)
        paths = [*sync.changed, *sync.removed, *certificates, PLAN, FACTS]
        merged = [path for path in sync.changed if path not in gone]
        message = sync_message(sync.commit, merged, gone, verified)
        commit = self._repository.commit(list(dict.fromkeys(paths)), message)
        self._place.unlink()
        return Synced(sync, commit, verified=tuple(verified))

    # The merge --------------------------------------------------------------------------------

    def _revision(self, original: str) -> str:
        place = Path(original)
        if place.is_dir():
            return self._repository.commit_of_folder(place.resolve(), base_of(self._repository))
        return self._repository.commit_of(original)

    def _converted(self, commit: str, name: str, workers: int | None) -> _Converted:
        """Write the original at a commit, and its conversion."""
        work = self._repository.work / "sync" / name
        shutil.rmtree(work, ignore_errors=True)
        inner = Path(self._repository.top.name) / self._repository.prefix
        original, ported = work / "original" / inner, work / "ported" / inner
        self._say(f"converting the original {name} its change")
        for path in self._repository.files_at(commit):
            if path not in (PLAN, FACTS) and not path.startswith(f"{CERTIFICATES}/"):
                data = self._repository.content(self._repository.blob(path, commit), path)
                files.write(original / path, data)
        order: Order = replace(self._porter.order, force=True, write=True)
        return _Converted(original, ported, convert_path(original, ported, order, workers=workers))

    def _merge(self, sync: Sync, before: _Converted, after: _Converted) -> dict[str, bytes | None]:
        """Return the content of each file that the merge changes; None for one that it removes."""
        done = {step.path for step in self._porter.plan.steps if step.done is not None}
        merged: dict[str, bytes | None] = {}
        for path in sorted(before.paths() | after.paths()):
            # Files that are not ported are merged in torch.
            old, new = before.file(path, path in done), after.file(path, path in done)
            if not old.exists():
                self._add(sync, merged, path, new)
            elif not new.exists():
                self._remove(sync, merged, path, old)
            elif files.read(old) != files.read(new):
                self._merge_file(sync, merged, path, old, new)
        self._extend_helpers(merged, after.report, done)
        sync.changed = [path for path, data in merged.items() if data is not None]
        sync.removed = [path for path, data in merged.items() if data is None]
        return merged

    def _add(self, sync: Sync, merged: dict[str, bytes | None], path: str, new: Path) -> None:
        place = self._folder / path
        if not place.exists():
            merged[path] = files.read(new)
            sync.fresh.append(path)
        elif not self._repository.blob(path):
            raise TorchferryError(
                f"{place}: the original has a file of this name now, and git does not have yours;"
                " commit it or move it away"
            )
        elif files.read(place) != files.read(new):
            self._merge_file(sync, merged, path, None, new)

    def _remove(self, sync: Sync, merged: dict[str, bytes | None], path: str, old: Path) -> None:
        place = self._folder / path
        if not place.exists():
            return
        if files.read(place) == files.read(old):
            merged[path] = None
            return
        # Only a marker in the file itself shows that a person has decided.
        sync.conflicts[path] = "removed in the original, and edited in the port: keep or delete it"
        mark = _MARK + b"removed in the original; delete this line to keep the file\n"
        merged[path] = mark + files.read(place)

    def _merge_file(
        self, sync: Sync, merged: dict[str, bytes | None], path: str, old: Path | None, new: Path
    ) -> None:
        place = self._folder / path
        if not place.exists():
            sync.conflicts[path] = "changed in the original, and removed in the port"
            mark = _MARK + b"removed in the port; delete this line, or the file\n"
            merged[path] = mark + files.read(new)
            return
        data, conflicts = self._repository.merged(place, old, new, _NAMES)
        if data != files.read(place):
            merged[path] = data
        if conflicts:
            sync.conflicts[path] = f"{conflicts} conflict{'s' if conflicts > 1 else ''}"

    def _extend_helpers(
        self, merged: dict[str, bytes | None], report: Report, done: set[str]
    ) -> None:
        """Add helpers that the ported files need now; none is removed."""
        steps = [step.done for step in self._porter.plan.steps if step.done is not None]
        modules = [one.helper_module for one in steps if one.helper_module]
        names = {name for one in report.files if one.path in done for name in one.helpers}
        for module in list(dict.fromkeys([*modules, *report.helper_modules]))[:1]:
            place = self._folder / module
            text = files.decode(place, files.read(place))[0] if place.exists() else ""
            whole = extended(text, names, self._porter.order.aim) if names else text
            if whole != text:
                merged[module] = whole.encode()

    def _conflict(self, path: str) -> int:
        """Return the line of a file's first conflict, from 1; 0 if it has none."""
        place = self._folder / path
        lines = files.read(place).splitlines() if place.exists() else []
        return next((n for n, line in enumerate(lines, 1) if line.startswith(_MARK)), 0)

    # The commit -------------------------------------------------------------------------------

    def _dropped(self, plan: Plan, sync: Sync) -> tuple[list[str], list[str]]:
        """Return the files that are gone, and their certificates, which are removed."""
        paths = (*sync.changed, *sync.removed)
        gone = [path for path in paths if not (self._folder / path).exists()]
        certificates = []
        for step in plan.steps:
            if step.path in gone and step.done is not None:
                certificates += [one.certificate for one in step.done.verified if one.certificate]
        for path in certificates:
            (self._folder / path).unlink(missing_ok=True)
        plan.steps = [step for step in plan.steps if step.path not in gone]
        return gone, certificates

    def _touched(self, plan: Plan, sync: Sync) -> list[Step]:
        """Return the ported files that changed, and those that import them, in order."""
        found = set(sync.changed)
        for _ in plan.steps:
            more = {step.path for step in plan.steps if found & set(step.imports)}
            if more <= found:
                break
            found |= more
        return [step for step in plan.chosen if step.path in found and step.done is not None]

    def _note_originals(self, plan: Plan, sync: Sync) -> None:
        for step in plan.steps:
            if step.done is None:
                continue
            original = self._repository.blob(step.path, sync.commit)
            now = self._repository.current(step.path)
            written = now if step.path in sync.changed else step.done.written
            if original:
                step.done = replace(step.done, original=original, written=written)

    def _record(self, sync: Sync) -> None:
        files.write(self._place, json.dumps(asdict(sync), indent=1).encode())

    def _read(self) -> Sync:
        try:
            return Sync(**json.loads(files.read(self._place)))
        except (ValueError, TypeError) as error:
            raise TorchferryError(
                f"{self._place}: it cannot be read ({error}); see git status, then delete it"
            ) from error


def base_of(repository: Repository) -> str:
    """Return the revision of the original that a port follows.

    Raises:
        TorchferryError: nothing is ported.
    """
    first = ""
    for commit, original, step in repository.trailers(ORIGINAL, STEP):
        if original:
            return original.split()[0]
        first = commit if step else first
    if not first:
        raise TorchferryError("no step is done; carry the plan out with torchferry port first")
    return repository.commit_of(f"{first}^")


def _words(one: Verified) -> str:
    return f"{one.call}: {one.summary}" if one.call else one.summary
