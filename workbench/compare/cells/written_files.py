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
from collections.abc import Iterator
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

        def opening(original: Any) -> Any:
            def open_it(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
                if isinstance(mode, str) and _is_path(file):
                    file = self._path(file, changing=bool(_CHANGING & set(mode)))
                return original(file, mode, *args, **kwargs)

            return open_it

        def removing(original: Any) -> Any:
            def remove(path: Any, *args: Any, **kwargs: Any) -> None:
                own = self._own(path)
                if own.exists():
                    own.unlink()
                elif os.path.lexists(path):
                    original(path, *args, **kwargs)
                # Otherwise torch's side has removed it already.

            return remove

        def making(original: Any) -> Any:
            def make(path: Any, *args: Any, **kwargs: Any) -> None:
                with suppress(FileExistsError):  # torch's side has just created it
                    original(path, *args, **kwargs)

            return make

        with _opens(opening), ExitStack() as stack:
            for name in ("remove", "unlink"):
                stack.enter_context(patched(os, name, removing))
            stack.enter_context(patched(os, "mkdir", making))
            yield

    def clear(self) -> None:
        """Remove the converted side's files: it reads those of torch's side instead."""
        for own in Path(self._folder.name).iterdir():
            own.unlink()

    def _path(self, file: Any, *, changing: bool) -> Any:
        own = self._own(file)
        return own if changing or own.exists() else file

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


def _is_path(file: Any) -> bool:
    """Return whether it is a user's file; descriptors and devices are not redirected."""
    if not isinstance(file, str | bytes | os.PathLike):
        return False
    return not str(_full(file)).startswith(_DEVICES)


def _full(file: str | bytes | os.PathLike[Any]) -> Path:
    return Path(os.fsdecode(file)).resolve()
