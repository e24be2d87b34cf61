"""Reading and writing of a project's files, in order, decoded exactly and written atomically."""

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
from workbench.words import words

PYTHON = frozenset({".py", ".pyi", ".pyw"})
NOTEBOOK = ".ipynb"
MARKDOWN = frozenset({".md", ".markdown"})
TENSORS = (".pt", ".pth", ".npy", ".safetensors")
# The prefix of the names of unfinished files, including those of an interrupted run.
UNFINISHED = ".torchferry-unfinished-"
_SKIPPED = frozenset(
    words(
        ".git .hg .svn .venv venv node_modules __pycache__ .ipynb_checkpoints .mypy_cache "
        ".ruff_cache .pytest_cache .tox .nox .eggs"
    )
)
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


class DiskFullError(TorchferryError):
    """An error for a full disk, on which writing any other file would fail too."""


def walk(folder: Path, failed: Callable[[Path, str], None]) -> Iterator[Path]:
    """Yield the files below a folder, and the links to folders, in order.

    Links to folders are not followed. Unreadable paths are passed to `failed`.
    """

    def unreadable(error: OSError) -> None:
        place = Path(error.filename or folder)
        failed(place, f"{place}: {error.strerror}; make this folder readable")

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
    """Return whether a file is a Python file or a notebook."""
    return file.suffix in PYTHON or file.suffix == NOTEBOOK


def check_ending(place: Path, source: Path) -> None:
    """Refuse a name for a notebook's conversion that no notebook has, and the reverse.

    Raises:
        TorchferryError: the name does not fit.
    """
    if source.suffix != place.suffix and NOTEBOOK in (source.suffix, place.suffix):
        reason = (
            f"{source} is a notebook, so its conversion is one too"
            if source.suffix == NOTEBOOK
            else f"{source} is not a notebook, so its conversion is not one either"
        )
        ending = source.suffix or ".py"
        raise TorchferryError(f"{place}: {reason}; give a name that ends in {ending}")


def is_file(place: Path) -> bool:
    """Return whether a path is a file; False also for an invalid path, such as one that is too
    long.
    """
    try:
        return place.is_file()
    except OSError:
        return False


def read(file: Path) -> bytes:
    """Return a file's bytes.

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
                f"{file}: a link to {file.readlink()}, which does not exist; remove or fix it"
            ) from error
        raise TorchferryError(
            f"{file}: {error.strerror}; check the path and its permissions"
        ) from error


def decode(file: Path, data: bytes) -> tuple[str, str]:
    """Return a Python file's text and encoding, with line endings and byte order mark in the text.

    Raises:
        TorchferryError: it is not text in the encoding that it declares.
    """
    wide = _MARKS.get(data[:2])
    if wide is not None:
        raise TorchferryError(
            f"{file}: this is {wide}, which Python does not read; save it as UTF-8"
        )
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        # The byte order mark stays in the text, so that it is written back unchanged.
        encoding = "utf-8" if encoding == "utf-8-sig" else encoding
        return data.decode(encoding), encoding
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TorchferryError(
            f"{file}:{line}: not {error.encoding} text; save the file as UTF-8, or declare its"
            " encoding in the first line"
        ) from error
    except (SyntaxError, LookupError) as error:
        raise TorchferryError(f"{file}: {error}; save it as UTF-8") from error


def check_writable(file: Path) -> None:
    """Refuse to overwrite a file whose owner has made it read-only.

    Raises:
        TorchferryError: nobody may write it.
    """
    if not file.stat().st_mode & 0o222:
        raise TorchferryError(
            f"{file}: it is read-only; make it writable, or convert it to another place with"
            " torchferry convert -o"
        )


def write(place: Path, data: bytes, *, like: Path | None = None) -> None:
    """Write a file atomically, with the access rights of `like`.

    Raises:
        DiskFullError: the disk is full.
        TorchferryError: it cannot be written for another reason.
    """
    fill(place, lambda name: name.write_bytes(data), like)


def copy(source: Path, place: Path) -> None:
    """Copy a file of any size atomically."""
    if not source.is_file():
        read(source)  # raises an error that describes the problem of a link
    fill(place, lambda name: shutil.copyfile(source, name), source)


def fill(place: Path, write: Callable[[Path], object], like: Path | None = None) -> None:
    """Let `write` write a file under a temporary name, and rename it when it is complete."""
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
        raise TorchferryError(
            f"{at}: {error.strerror}; check the path and its permissions"
        ) from error
    finally:
        if name is not None:
            name.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def is_inside(file: Path, root: Path) -> bool:
    """Return whether a file, or the target of a link, is in a folder."""
    return Path(os.path.realpath(file)).is_relative_to(os.path.realpath(root))


def copy_link(source: Path, place: Path, root: Path) -> bool:
    """Copy a link that leads to a place inside the project; return False for other links."""
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


def remove_unfinished(folder: Path) -> None:
    """Remove unfinished files of an interrupted run."""
    for file in folder.rglob(f"{UNFINISHED}*"):
        file.unlink(missing_ok=True)
