"""The state in git of the files that a conversion in place would overwrite."""

from __future__ import annotations

import subprocess
from pathlib import Path

from workbench.errors import TorchferryError

_FORCE = "or use --force to overwrite it"


def clean_files(path: Path) -> frozenset[Path]:
    """Return the files at a path that git can restore, since it has their content.

    Raises:
        TorchferryError: git is missing here, or something at the path is not committed.
    """
    folder = path if path.is_dir() else path.parent
    changed = _git(path, folder, "status", "--porcelain", "-z", "--", str(path.resolve()))
    names = [entry[3:] for entry in changed.split("\0") if entry]
    if names:
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        raise TorchferryError(
            f"{path}: not committed: {names[0]}{more}; commit or stash this first, {_FORCE}"
        )
    listed = _git(path, folder, "ls-files", "-z", "--", str(path.resolve()))
    return frozenset(folder.resolve() / name for name in listed.split("\0") if name)


def kept_files(path: Path) -> frozenset[Path]:
    """Return the files at a path whose content git has, committed or staged.

    Raises:
        TorchferryError: git is missing here.
    """
    folder = path if path.is_dir() else path.parent
    listed = _git(path, folder, "ls-files", "-z", "--", str(path.resolve()))
    options = ("--no-ext-diff", "--name-only", "--relative", "-z")
    changed = _git(path, folder, "diff", *options, "--", str(path.resolve()))
    names = set(listed.split("\0")) - set(changed.split("\0")) - {""}
    return frozenset(folder.resolve() / name for name in names)


def _git(path: Path, folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            # A repository's own configuration may name a program that watches its files.
            ["git", "-C", str(folder), "-c", "core.fsmonitor=false", *arguments],
            capture_output=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise TorchferryError(
            f"{path}: only files that git tracks are overwritten, and git is not installed;"
            f" {_FORCE}"
        ) from error
    if done.returncode:
        raise TorchferryError(
            f"{path}: only files that git tracks are overwritten, and this is not a git"
            f" repository; commit the file to one first, {_FORCE}"
        )
    return done.stdout.decode("utf-8", "surrogateescape")
