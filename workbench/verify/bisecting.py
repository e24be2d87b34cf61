"""The commit that broke a verified port, found by repeating its certificate's checks.

The person's checkout stays as it is: each commit's files are written into a temporary folder.
"""

from __future__ import annotations

import io
import os
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.errors import TorchferryError
from workbench.verify.history import Version, run_git, versions

CERTIFIED, DIFFERS, NOT_RUN = "certified", "differs", "cannot be run"


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit that may have broken the port."""

    name: str
    date: str
    subject: str

    def __str__(self) -> str:
        return f"{self.name[:9]} {self.date} {self.subject}"


@dataclass(frozen=True, slots=True)
class Tried:
    """The result of a certificate's checks in a commit, with the verdict or the reason."""

    outcome: str
    verdict: str
    details: tuple[str, ...] = ()

    def named_from(self, folder: Path) -> Tried:
        """Return the result with the paths of files in a folder as they are named from there."""
        verdict, *details = (
            line.replace(f"{folder}{os.sep}", "") for line in (self.verdict, *self.details)
        )
        return Tried(self.outcome, verdict, tuple(details))


@dataclass(frozen=True, slots=True)
class Broken:
    """What the search found.

    Attributes:
        good: the last commit whose certificate says that the port is certified.
        commits: the commits of which one broke the port; none if it is certified now, or if it
            differs at the good commit as well.
        found: the result of the last of them, or of the last commit tried.
    """

    good: Version
    commits: tuple[Commit, ...]
    found: Tried


Check = Callable[[Mapping[str, Any], Path], Tried]


def broken_by(
    place: Path, check: Check, say: Callable[[str], None], *, here: Path | None = None
) -> Broken:
    """Find the commit after which a certified port differs.

    Args:
        place: the certificate.
        check: repeats the checks of a certificate from a folder.
        say: prints a line for the user.
        here: the folder from which the certificate's files are named. [default: the current one]

    Raises:
        TorchferryError: git does not have the file, no commit has it certified, or the last commit
            cannot be run.
    """
    good = next((one for one in reversed(versions(place)) if _is_good(one)), None)
    if good is None or good.data is None:
        raise TorchferryError(f"{place}: no commit has this certificate with a certified port")
    search = _Search(place, good.data, check, say, (here or Path()).resolve())
    commits = search.commits(good.commit)
    last = search.tried(commits[-1].name if commits else good.commit)
    if last.outcome == NOT_RUN:
        raise TorchferryError(f"{place}: its checks cannot be run now: {last.verdict}")
    if last.outcome == CERTIFIED or not commits:
        return Broken(good, (), last)
    first = search.tried(good.commit)
    if first.outcome != CERTIFIED:
        return Broken(good, (), first)
    return Broken(good, *search.between(commits, last))


def _is_good(version: Version) -> bool:
    return bool(version.commit) and version.outcome == CERTIFIED


class _Search:
    def __init__(
        self,
        place: Path,
        certificate: Mapping[str, Any],
        check: Check,
        say: Callable[[str], None],
        here: Path,
    ) -> None:
        self._place, self._certificate, self._check, self._say = place, certificate, check, say
        self._here = here
        top = run_git(place, "rev-parse", "--show-toplevel").decode().strip()
        self._top = Path(top).resolve()

    def commits(self, good: str) -> list[Commit]:
        """Return the commits since a good one that changed a file of Python, the oldest first."""
        arguments = ("--first-parent", "--reverse", "--format=%H%x00%as%x00%s", f"{good}..HEAD")
        text = run_git(self._place, "log", *arguments, "--", f"{self._top}/*.py").decode(
            "utf-8", "replace"
        )
        return [Commit(*line.split("\0", 2)) for line in text.splitlines() if line]

    def between(self, commits: list[Commit], last: Tried) -> tuple[tuple[Commit, ...], Tried]:
        """Return the commits that may have broken the port, of which the last one differs."""
        good, bad, skipped = -1, len(commits) - 1, set[int]()
        while left := [one for one in range(good + 1, bad) if one not in skipped]:
            middle = left[len(left) // 2]
            found = self.tried(commits[middle].name)
            if found.outcome == CERTIFIED:
                good = middle
            elif found.outcome == DIFFERS:
                bad, last = middle, found
            else:
                skipped.add(middle)
        return tuple(commits[good + 1 : bad + 1]), last

    def tried(self, commit: str) -> Tried:
        """Repeat the checks in a commit."""
        with self._checkout(commit) as folder:
            place = folder / self._here.relative_to(self._top) if self._is_inside() else folder
            place.mkdir(parents=True, exist_ok=True)
            found = self._check(self._moved(folder), place).named_from(place)
        same = found.verdict.startswith(found.outcome)
        self._say(f"{commit[:9]}: {'' if same else f'{found.outcome}: '}{found.verdict}")
        return found

    @contextmanager
    def _checkout(self, commit: str) -> Iterator[Path]:
        """Write the files of a commit into a temporary folder."""
        data = run_git(self._place, "-C", str(self._top), "archive", "--format=tar", commit)
        with tempfile.TemporaryDirectory(prefix="torchferry-") as name:
            folder = Path(name).resolve() / self._top.name
            with tarfile.open(fileobj=io.BytesIO(data)) as archive:
                archive.extractall(folder, filter="data")
            yield folder

    def _is_inside(self) -> bool:
        return self._here.is_relative_to(self._top)

    def _moved(self, folder: Path) -> dict[str, Any]:
        """Return the certificate with the places of its sides in another folder."""
        sides = {
            side: {**held, "place": self._place_in(folder, held["place"])}
            for side, held in self._certificate["sides"].items()
        }
        return {**self._certificate, "sides": sides}

    def _place_in(self, folder: Path, place: str) -> str:
        """Return FILE:NAME with the commit's file, or with the same one if git does not have it."""
        file, mark, name = place.partition(".py:")
        if not mark and not place.endswith(".py"):
            return place  # package.module:NAME
        path = (self._here / (f"{file}.py" if mark else place)).resolve()
        inside = path.is_relative_to(self._top) and ".git" not in path.relative_to(self._top).parts
        there = folder / path.relative_to(self._top) if inside else path
        return f"{there}:{name}" if mark else str(there)
