"""Reading and writing a project's files: found in order, decoded exactly, written whole or not."""

from __future__ import annotations

import errno
import io
import os
import shutil
import tempfile
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path

from workbench.errors import TorchferryError

PYTHON = frozenset({".py", ".pyi", ".pyw"})
NOTEBOOK = ".ipynb"
MARKDOWN = frozenset({".md", ".markdown"})
TENSORS = (".pt", ".pth", ".npy", ".safetensors")
# The start of the names of files that are being written; what an interrupted run left has it too.
UNFINISHED = ".torchferry-unfinished-"
_SKIPPED = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".venv",
        "venv",
        "node_modules",
        "__pycache__",
        ".ipynb_checkpoints",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
        ".tox",
        ".nox",
        ".eggs",
    }
)
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


class DiskFullError(TorchferryError):
    """There is no room to write: going on would fail with every file."""


def walk(folder: Path, failed: Callable[[Path, str], None]) -> Iterator[Path]:
    """The files below a folder, and the links to folders, in order.

    Links to folders are not followed. What cannot be read goes to `failed`.
    """

    def unreadable(error: OSError) -> None:
        place = Path(error.filename or folder)
        failed(place, f"{place}: {error.strerror}; give yourself the right to read this folder")

    for root, folders, files in os.walk(folder, onerror=unreadable):
        linked = [name for name in folders if Path(root, name).is_symlink()]
        folders[:] = sorted(name for name in folders if name not in _SKIPPED and name not in linked)
        for name in sorted(files + linked):
            file = Path(root, name)
            if name.startswith(UNFINISHED):
                continue
            if file.is_symlink() or file.is_file():
                yield file
            else:
                failed(file, f"{file}: a device, pipe or socket; it is left out")


def is_code(file: Path) -> bool:
    """True for Python files and notebooks."""
    return file.suffix in PYTHON or file.suffix == NOTEBOOK


def is_file(place: Path) -> bool:
    """True for a file; False also for a path that there cannot be, such as one that is too long."""
    try:
        return place.is_file()
    except OSError:
        return False


def read(file: Path) -> bytes:
    """A file's bytes.

    Raises:
        TorchferryError: it cannot be read.
    """
    try:
        return file.read_bytes()
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise TorchferryError(f"{file}: a link that leads to itself; remove it") from error
        if error.errno == errno.ENOENT and file.is_symlink():
            raise TorchferryError(
                f"{file}: a link to {file.readlink()}, which does not exist; remove or mend it"
            ) from error
        raise TorchferryError(f"{file}: {error.strerror}; check the path and its rights") from error


def decode(file: Path, data: bytes) -> tuple[str, str]:
    """A Python file's text and encoding; line endings and a byte order mark stay in the text.

    Raises:
        TorchferryError: it is not text in the encoding that it declares.
    """
    wide = _MARKS.get(data[:2])
    if wide is not None:
        raise TorchferryError(
            f"{file}: this is {wide}, which Python does not read; save it as UTF-8,"
            " then convert again"
        )
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        # The byte order mark stays in the text, so that it is written back as it was.
        encoding = "utf-8" if encoding == "utf-8-sig" else encoding
        return data.decode(encoding), encoding
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        raise TorchferryError(
            f"{file}: not text in the encoding that it declares ({error});"
            " save it as UTF-8, then convert again"
        ) from error


def write(place: Path, data: bytes, *, like: Path | None = None) -> None:
    """Write a file whole or not at all, with the access rights of `like`.

    Raises:
        DiskFullError: there is no room.
        TorchferryError: it cannot be written for another reason.
    """
    fill(place, lambda name: name.write_bytes(data), like)


def copy(source: Path, place: Path) -> None:
    """Copy a file of any size, whole or not at all."""
    if not source.is_file():
        read(source)  # says what is the matter with a link
    fill(place, lambda name: shutil.copyfile(source, name), source)


def fill(place: Path, write: Callable[[Path], object], like: Path | None = None) -> None:
    """Let `write` write a file under another name, and give it its own once it is whole."""
    name: Path | None = None
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, made = tempfile.mkstemp(place.suffix, UNFINISHED, place.parent)
        name = Path(made)
        os.close(handle)
        write(name)
        if like is not None:
            shutil.copymode(like, name)
        else:
            name.chmod(0o666 & ~_umask())
        name.replace(place)
    except OSError as error:
        if error.errno in _FULL:
            raise DiskFullError(
                f"{place}: {error.strerror}; make room, then run the same command again:"
                " it goes on where it stopped"
            ) from error
        at = error.filename or place
        raise TorchferryError(f"{at}: {error.strerror}; check the path and its rights") from error
    finally:
        if name is not None:
            name.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def is_inside(file: Path, root: Path) -> bool:
    """True where a file, or what a link leads to, lies in a folder."""
    return Path(os.path.realpath(file)).is_relative_to(os.path.realpath(root))


def copy_link(source: Path, place: Path, root: Path) -> bool:
    """Make a link's twin where it leads to a place inside the project; False where it does not."""
    aim = source.readlink()
    end = Path(os.path.realpath(source))
    if end.is_symlink():
        raise TorchferryError(f"{source}: a link that leads to itself; remove it")
    if aim.is_absolute() or not is_inside(source, root):
        return False
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.is_symlink() and place.readlink() == aim:
        return True
    if place.is_symlink() or place.exists():
        raise TorchferryError(f"{place}: exists already; remove it, then convert again")
    place.symlink_to(aim)
    return True


def sweep(folder: Path) -> None:
    """Remove the files that an interrupted run was in the middle of writing."""
    for file in folder.rglob(f"{UNFINISHED}*"):
        file.unlink(missing_ok=True)
