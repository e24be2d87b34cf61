"""Files that a cell writes: each side has its own, though both write to the same path.

The user's paths belong to torch's side, which is the user's own code. The converted side writes to
a folder of the session, and reads from there what it wrote before.
"""

from __future__ import annotations

import builtins
import io
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha1
from pathlib import Path
from typing import Any

from workbench.streams.torch_recorder import patched

_CHANGING = frozenset("wax+")
_DEVICES = ("/dev/", "/proc/", "/sys/")


class Files:
    """The files of the converted side, kept for the session."""

    def __init__(self) -> None:
        # Created immediately: `tempfile` holds a lock while it calls functions patched below.
        self._folder = tempfile.TemporaryDirectory(prefix="torchferry-")

    @contextmanager
    def before_changes(self) -> Iterator[None]:
        """Copy files that torch's side is about to append to, for the other side, while open."""

        def opening(original: Any) -> Any:
            def open_it(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
                if isinstance(mode, str) and {"a", "+"} & set(mode) and _is_path(file):
                    self._copy(file)
                return original(file, mode, *args, **kwargs)

            return open_it

        with _opens(opening):
            yield

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Redirect the converted side's files while open."""
        redirected = {
            "remove": self._remove,
            "unlink": self._remove,
            "rename": self._move,
            "replace": self._move,
            "mkdir": self._make,
            "stat": self._stat,
        }
        with _opens(_through(self._open)), ExitStack() as stack:
            for name, redirect in redirected.items():
                stack.enter_context(patched(os, name, _through(redirect)))
            yield

    def _open(self, original: Any, file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        if isinstance(mode, str) and _is_path(file):
            file = self._path(file, changing=bool(_CHANGING & set(mode)))
        return original(file, mode, *args, **kwargs)

    def _remove(self, original: Any, path: Any, *args: Any, **kwargs: Any) -> None:
        own = self._own(path)
        if own.exists():
            own.unlink()
        elif os.path.lexists(path):
            original(path, *args, **kwargs)
        # Otherwise torch's side has removed it already.

    def _move(self, original: Any, source: Any, target: Any, *args: Any, **kwargs: Any) -> None:
        if _is_path(source) and self._is_own(source):
            original(self._own(source), self._own(target))
        else:
            original(source, target, *args, **kwargs)

    def _make(self, original: Any, path: Any, *args: Any, **kwargs: Any) -> None:
        with suppress(FileExistsError):  # torch's side has just created it
            original(path, *args, **kwargs)

    def _stat(self, original: Any, path: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return original(path, *args, **kwargs)
        except FileNotFoundError:
            if not _is_path(path) or not self._is_own(path):
                raise
            return original(self._own(path))

    def clear(self) -> None:
        """Remove the converted side's files: it reads those of torch's side instead."""
        for own in Path(self._folder.name).iterdir():
            own.unlink()

    def _path(self, file: Any, *, changing: bool) -> Any:
        return self._own(file) if changing or self._is_own(file) else file

    def _is_own(self, file: Any) -> bool:
        """Return whether the converted side wrote this file, and its folder is still there."""
        return _is_there(self._own(file)) and _is_there(_full(file).parent)

    def _copy(self, file: Any) -> None:
        own = self._own(file)
        if not own.exists() and Path(file).is_file():
            shutil.copyfile(file, own)

    def _own(self, file: Any) -> Path:
        full = _full(file)
        key = sha1(os.fsencode(full), usedforsecurity=False).hexdigest()[:16]
        return Path(self._folder.name) / f"{key}-{full.name}"


@contextmanager
def _opens(make: Any) -> Iterator[None]:
    """Patch both names under which Python code reaches `open`."""
    with patched(builtins, "open", make), patched(io, "open", make):
        yield


def _through(redirect: Any) -> Callable[[Any], Any]:
    """Return what makes a replacement of a function that calls `redirect(function, ...)`."""

    def make(original: Any) -> Any:
        def run(*args: Any, **kwargs: Any) -> Any:
            return redirect(original, *args, **kwargs)

        return run

    return make


def _is_path(file: Any) -> bool:
    """Return whether it is a user's file; descriptors and devices are not redirected."""
    if not isinstance(file, str | bytes | os.PathLike):
        return False
    return not str(_full(file)).startswith(_DEVICES)


def _full(file: str | bytes | os.PathLike[Any]) -> Path:
    return Path(os.path.realpath(os.fsdecode(file)))


def _is_there(path: Path) -> bool:
    return os.access(path, os.F_OK)  # `exists` asks `os.stat`, which is redirected
