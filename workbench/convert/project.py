"""Files and folders converted to a new place."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from workbench.convert.conversion import Conversion, convert
from workbench.errors import SourceError, TorchferryError
from workbench.findings import Finding, Severity

_SKIPPED = frozenset(
    {".git", ".hg", ".venv", "venv", "node_modules", "__pycache__", ".ipynb_checkpoints",
     ".mypy_cache", ".ruff_cache", ".pytest_cache", ".tox", ".nox", ".eggs"}
)  # fmt: skip


@dataclass(slots=True)
class Report:
    """What a conversion of files did."""

    converted_files: int = 0
    copied_files: int = 0
    uses: int = 0
    converted_uses: int = 0
    caveats: int = 0
    unconverted: list[tuple[Path, Finding]] = field(default_factory=list)
    failures: list[tuple[Path, str]] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """0 when every use converted, 1 when some remain, 2 when a file could not be converted."""
        return 2 if self.failures else 1 if self.unconverted else 0

    def add(self, file: Path, conversion: Conversion) -> None:
        """Count one converted file."""
        self.converted_files += 1
        for finding in conversion.findings:
            if finding.converts:
                self.converted_uses += 1
                self.caveats += finding.severity is Severity.WARNING
        self.uses = self.converted_uses + len(self.unconverted) + len(conversion.unconverted)
        self.unconverted += [(file, finding) for finding in conversion.unconverted]


def python_files(path: Path) -> Iterator[Path]:
    """The file itself, or the Python files of a folder in order; links to folders are left out."""
    if path.is_file():
        yield path
        return
    for file in _walk(path):
        if file.suffix in {".py", ".pyi"}:
            yield file


def _walk(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in sorted(files):
            yield Path(root, name)


def read_source(file: Path) -> str:
    """A Python file's text, in the encoding that it declares, with its own line endings.

    Raises:
        TorchferryError: it cannot be read or decoded.
    """
    return _decode(file, _read(file))[0]


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise TorchferryError(f"{file}: {error.strerror}; check the path and its rights") from error


def _decode(file: Path, data: bytes) -> tuple[str, str]:
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


def convert_path(
    source: Path,
    output: Path,
    *,
    target: str = "paddle",
    tick: Callable[[int, int], None] = lambda done, total: None,
) -> Report:
    """Convert a file to a file, or a folder to a folder.

    Args:
        source: what to convert.
        output: where to; it must not be, or be inside, the source.
        target: the framework to convert to.
        tick: called with the number of files done, and of all.

    Raises:
        TorchferryError: source and output do not go together; single files that fail are
            reported instead, and the rest is converted.
    """
    if not source.exists():
        raise TorchferryError(f"{source}: no such file or folder; check the path")
    report = Report()
    if source.is_file():
        if output.is_dir():
            output = output / source.name
        if output.exists() and output.samefile(source):
            raise TorchferryError(f"{output} is the source itself; name another place with -o")
        _convert_file(source, output, target, report)
        tick(1, 1)
        return report
    if output.resolve() == source.resolve() or source.resolve() in output.resolve().parents:
        raise TorchferryError(f"{output} lies in the source folder; name a place outside with -o")
    if output.is_file():
        raise TorchferryError(f"{output} is a file; name a folder with -o")
    files = list(_walk(source))
    for done, file in enumerate(files, start=1):
        place = output / file.relative_to(source)
        if file.suffix in {".py", ".pyi"}:
            _convert_file(file, place, target, report)
        else:
            _copy(file, place, report)
        tick(done, len(files))
    return report


def _convert_file(file: Path, place: Path, target: str, report: Report) -> None:
    try:
        data = _read(file)
        text, encoding = _decode(file, data)
        conversion = convert(text, target=target, filename=str(file))
        write_atomically(place, conversion.code.encode(encoding), like=file)
    except SourceError as error:
        report.failures.append((file, str(error)))
    except (TorchferryError, OSError, UnicodeEncodeError) as error:
        report.failures.append((file, str(error)))
    else:
        report.add(file, conversion)


def _copy(file: Path, place: Path, report: Report) -> None:
    try:
        write_atomically(place, file.read_bytes(), like=file)
    except OSError as error:
        report.failures.append((file, str(error)))
    else:
        report.copied_files += 1


def write_atomically(place: Path, data: bytes, *, like: Path | None = None) -> None:
    """Write a file whole or not at all, with the access rights of `like`."""
    place.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        if like is not None:
            shutil.copymode(like, name)
        Path(name).replace(place)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
