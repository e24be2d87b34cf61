"""Files and their addresses, as clients on Windows, macOS and Linux write them.

One file has several addresses: `file:///C:/a.py` and `file:///c%3A/a.py`, and on many disks names
in capitals, or with an accent as a separate character.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path, PurePath, PureWindowsPath
from typing import TypeVar
from urllib.parse import unquote, urlsplit

_PurePath = TypeVar("_PurePath", bound=PurePath)

_DRIVE = re.compile(r"/[A-Za-z]:")
_DRIVE_OF_ADDRESS = re.compile(r"^file:///([A-Za-z]):")


def path_of(uri: str) -> Path | None:
    """Return the file that an address names; None for a text that is in none."""
    return pure_path_of(uri, Path)


def pure_path_of(uri: str, kind: type[_PurePath]) -> _PurePath | None:
    """Return the path that an address names on a kind of system."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None  # not an address, such as file://[
    if parts.scheme != "file":
        return None
    host, path = unquote(parts.netloc), unquote(parts.path)
    if not path or "\0" in path:
        return None
    if host and host != "localhost":
        path = f"//{host}{path}"
    elif issubclass(kind, PureWindowsPath) and _DRIVE.match(path):
        path = path[1:]
    return kind(path)


def address_of(path: PurePath) -> str:
    """Return the address of a file as VS Code writes it, which any client reads."""
    return _DRIVE_OF_ADDRESS.sub(lambda drive: f"file:///{drive[1].lower()}%3A", path.as_uri())


def same_file(one: Path | None, other: Path | None) -> bool:
    """Return whether two paths are of one file, which the disk decides where names are alike."""
    if one is None or other is None:
        return False
    if one == other:
        return True
    if name_key(one) != name_key(other):
        return False
    try:
        return one.samefile(other)
    except OSError:
        return False


def name_key(path: Path) -> str:
    """Return a text that is the same for all spellings of one path that a disk may accept."""
    return unicodedata.normalize("NFC", str(path)).casefold()
