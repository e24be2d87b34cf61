"""The folders whose own rules a person has trusted.

Rules are code. A `pyproject.toml` that names them may come with a project from anywhere, so the
answer is stored outside of the project: in a file of the user's own configuration.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from workbench.errors import TorchferryError

HOME = "TORCHFERRY_CONFIG_HOME"
FILE = "trusted_rules.json"

logger = logging.getLogger(__name__)


def trusted(folder: Path) -> bool:
    """Return whether the rules that a folder's pyproject.toml names may run.

    If the file of answers cannot be read, no folder is trusted, and the log (stderr) has a warning.
    """
    try:
        return _real(folder) in trusted_folders()
    except TorchferryError as error:
        logger.warning("torchferry: %s", error)
        return False


def trust(folder: Path) -> None:
    """Remember that the rules of a folder may run.

    Raises:
        TorchferryError: the answers cannot be read or written.
    """
    _write({*trusted_folders(), _real(folder)})


def revoke(folder: Path) -> None:
    """Forget that the rules of a folder may run; do nothing if they may not.

    Raises:
        TorchferryError: the answers cannot be read or written.
    """
    known = trusted_folders()
    if _real(folder) in known:
        _write(set(known) - {_real(folder)})


def trusted_folders() -> list[Path]:
    """Return the folders whose rules may run, by their real paths.

    Raises:
        TorchferryError: the file of answers cannot be read.
    """
    file = answers_file()
    try:
        found = json.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise TorchferryError(
            f"{file}: {error.strerror}; no project's rules are trusted until it can be read"
        ) from error
    except (ValueError, RecursionError):
        found = None
    folders = found.get("folders") if isinstance(found, dict) else None
    if not isinstance(folders, list) or not all(isinstance(one, str) for one in folders):
        raise TorchferryError(
            f"{file}: not in Torchferry's format, so no project's rules are trusted; remove"
            " it, then trust the projects again"
        )
    return [Path(one) for one in sorted(folders)]


def answers_file() -> Path:
    """Return the file that the answers are kept in; there may be none yet."""
    # A relative path would lead into the folder of the current project.
    given = os.environ.get(HOME, "")
    if Path(given).is_absolute():
        return Path(given, FILE)
    if sys.platform == "win32":
        base, usual = os.environ.get("APPDATA", ""), Path.home() / "AppData" / "Roaming"
    else:
        base, usual = os.environ.get("XDG_CONFIG_HOME", ""), Path.home() / ".config"
    return Path(base if Path(base).is_absolute() else usual, "torchferry", FILE)


def _real(folder: Path) -> Path:
    return Path(os.path.realpath(folder))


def _write(folders: Iterable[Path]) -> None:
    """Write the answers atomically, readable by this user only."""
    file = answers_file()
    text = json.dumps({"folders": sorted(map(str, folders))}, indent=2) + "\n"
    made = ""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, made = tempfile.mkstemp(dir=file.parent)  # created with mode 0600
        with os.fdopen(handle, "w", encoding="utf-8") as to:
            to.write(text)
        Path(made).replace(file)
    except OSError as error:
        with contextlib.suppress(OSError):
            Path(made).unlink()
        raise TorchferryError(f"{file}: {error.strerror}; make the file writable") from error
