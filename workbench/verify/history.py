"""The history of a certificate in git: the commits that changed its outcome."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench import files
from workbench.errors import TorchferryError
from workbench.verify.certificate import changes

_KEYS = {"asked", "certified", "checks", "sides", "versions"}
_ABSENT = "0" * 40


@dataclass(frozen=True, slots=True)
class Version:
    """A certificate in one commit.

    Attributes:
        commit: the commit; empty for the file in the working tree.
        date: its day, as YYYY-MM-DD.
        subject: the first line of its message.
        data: the certificate; None if the commit removed it, or the file was not one.
        removed: whether the commit removed it.
    """

    commit: str
    date: str
    subject: str
    data: dict[str, Any] | None
    removed: bool = False

    @property
    def outcome(self) -> str:
        """The outcome in words."""
        if self.data is None:
            return "removed" if self.removed else "not a certificate"
        return "certified" if self.data["certified"] else "differs"

    @property
    def checks(self) -> dict[str, str]:
        """The outcome of each check, by its name."""
        return {one["name"]: one["outcome"] for one in self.data["checks"]} if self.data else {}


@dataclass(frozen=True, slots=True)
class Turn:
    """A version whose outcome is another than that of the version before, and what changed."""

    version: Version
    details: tuple[str, ...] = ()


def versions(place: Path) -> list[Version]:
    """Return the versions of a certificate, the oldest first; the last may be uncommitted.

    Raises:
        TorchferryError: git does not have the file.
    """
    # Each commit has its object of git with the file: a file that was renamed is followed.
    arguments = ("--follow", "--raw", "--no-abbrev", "--format=%x01%H%x00%as%x00%s%x00")
    text = run_git(place, "log", *arguments, "--", str(place.resolve())).decode("utf-8", "replace")
    found = []
    for entry in reversed(text.split("\1")[1:]):
        commit, date, subject, raw = entry.split("\0", 3)
        blob = raw.split()[3]
        data = None if blob == _ABSENT else _read(run_git(place, "cat-file", "blob", blob))
        found.append(Version(commit, date, subject, data, removed=blob == _ABSENT))
    if not found:
        raise TorchferryError(f"{place}: no commit has this file; commit the certificate first")
    if place.is_file() and run_git(place, "status", "--porcelain", "--", str(place.resolve())):
        found.append(Version("", "", "not committed", _read(files.read(place))))
    return found


def turns(found: list[Version]) -> Iterator[Turn]:
    """Yield the first version, and each with another outcome of the whole or of a check.

    The details are what changed since the version before it: files, versions of packages, checks.
    """
    before: Version | None = None
    for now in found:
        if before is None:
            yield Turn(now)
        elif (before.outcome, before.checks) != (now.outcome, now.checks):
            yield Turn(
                now, tuple(changes(before.data, now.data)) if before.data and now.data else ()
            )
        before = now


def _read(data: bytes) -> dict[str, Any] | None:
    """Return a certificate, or None if the content is not one."""
    try:
        held = json.loads(data)
    except ValueError:
        return None
    return held if isinstance(held, dict) and held.keys() >= _KEYS else None


def run_git(place: Path, *arguments: str) -> bytes:
    """Run git in the folder of a file, and return what it prints.

    Raises:
        TorchferryError: git is missing, or failed.
    """
    # A commit that removed the last certificate has removed its folder, too.
    folder = next(one for one in place.resolve().parents if one.is_dir())
    try:
        done = subprocess.run(
            # A repository's own configuration may name a program that watches its files.
            ["git", "-C", str(folder), "-c", "core.fsmonitor=false", *arguments],
            capture_output=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise TorchferryError(f"{place}: git is not installed; install it") from error
    if done.returncode:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())
        raise TorchferryError(f"{place}: its history is in git, and git failed: {said}")
    return done.stdout
