"""Results of earlier runs, stored by their inputs: content, settings and versions.

An entry's name is the digest of everything that its result depends on, so no entry can be outdated.
Entries are written atomically, and any number of runs may share a cache; the least recently used
ones are removed when it grows too large.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sys
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench import files
from workbench.errors import TorchferryError
from workbench.targets.own import read
from workbench.version import __version__

if TYPE_CHECKING:
    from workbench.convert.configuration.settings import Settings
    from workbench.convert.project.file_job import Job, Order
    from workbench.targets import Target

HOME = "TORCHFERRY_CACHE_HOME"
_MOST_BYTES = 500_000_000
_TOUCH_SECONDS = 24 * 3600
_ENGINE = Path(__file__).resolve().parents[2]

logger = logging.getLogger(__name__)


class Cache:
    """The results that are stored in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writes = True
        self._wrote = False

    def get(self, key: str) -> Any:
        """Return the value stored under a key, or None if there is none."""
        place = self._place(key)
        try:
            data = place.read_bytes()
            if time.time() - place.stat().st_mtime > _TOUCH_SECONDS:
                os.utime(place)  # mark it as recently used
            return json.loads(data)
        except (OSError, ValueError, RecursionError):
            return None

    def put(self, key: str, value: Any) -> None:
        """Keep something that JSON can say; a cache that cannot be written to is none."""
        if not self._writes:
            return
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            files.write(self._place(key), json.dumps(value, separators=(",", ":")).encode())
            self._wrote = True
        except (OSError, TorchferryError) as error:
            logger.info("Nothing is cached: %s", error)
            self._writes = False

    def trim(self) -> None:
        """Remove the least recently used entries if there are too many."""
        if not self._wrote:
            return
        entries = []
        for place in self._folder.glob("??/*.json"):
            try:
                state = place.stat()
            except OSError:  # another run was faster
                continue
            entries.append((state.st_mtime, state.st_size, place))
        size = sum(one for _, one, _ in entries)
        for _, one, place in sorted(entries):
            if size <= _MOST_BYTES:
                break
            place.unlink(missing_ok=True)
            size -= one

    def _place(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"


def cache_folder() -> Path:
    """Return the folder of the user's cache; there may be none yet."""
    # A relative path would lead into the folder of the current project.
    given = os.environ.get(HOME, "")
    if Path(given).is_absolute():
        return Path(given)
    if sys.platform == "win32":
        base, usual = os.environ.get("LOCALAPPDATA", ""), Path.home() / "AppData" / "Local"
    else:
        base, usual = os.environ.get("XDG_CACHE_HOME", ""), Path.home() / ".cache"
    return Path(base if Path(base).is_absolute() else usual, "torchferry")


class Keys:
    """The keys of a run's files, each a digest of everything that the file's result depends on."""

    def __init__(self, order: Order) -> None:
        about = (
            *basis(order.settings, order.aim, order.target, order.rules),
            order.check,
            order.examples,
            order.helpers,
            order.project.package if order.project is not None else (),
        )
        self._about = repr(about)
        self._project = order.project
        self._root = order.root

    def of(self, job: Job) -> str:
        """Return the key of a file.

        Raises:
            TorchferryError: it cannot be read.
        """
        path = job.source.relative_to(self._root) if self._root else job.source
        parts = [self._about, str(path), job.helpers_from or ""]
        known = self._project.evidence(job.source) if self._project is not None else []
        found = hashlib.blake2b(digest_size=20)
        found.update(repr([*parts, *known]).encode("utf-8", "surrogatepass"))
        if not known:
            found.update(files.read(job.source))
        return found.hexdigest()


def basis(settings: Settings, aim: Target, target: str, rules: Path | None) -> tuple[str, ...]:
    """Return the inputs of findings besides a text: the engine, the target, settings, own rules.

    Args:
        settings: the project's settings.
        aim: the target, loaded.
        target: the name under which it was requested.
        rules: the module of own rules in use.
    """
    return (
        _engine(),
        f"{aim.title} {aim.version}",
        settings.style,
        settings.init,
        settings.reported,
        read(target, rules).digest if rules else "",
    )


@cache
def _engine() -> str:
    """Return a text that changes with the code of Torchferry, also during its development."""
    states = [__version__]
    for root, folders, names in os.walk(_ENGINE):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            state = Path(root, name).stat()
            states.append(f"{name} {state.st_size} {state.st_mtime_ns}")
    return hashlib.blake2b("\n".join(states).encode(), digest_size=16).hexdigest()
