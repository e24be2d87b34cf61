"""Reading of checkpoints that `torch.save` wrote, without running code and with bounded memory.

torch reads them without running code, but allocates the memory that a file declares before it
checks that the file holds that much. The file is therefore surveyed first: its pickle is followed
without creating tensors, and each described tensor must lie inside the file.
"""

from __future__ import annotations

import io
import mmap
import pickle
import warnings
import zipfile
from typing import IO, TYPE_CHECKING, Any

import torch

from workbench.weights.errors import WeightsError
from workbench.weights.survey import MoreThanWeightsError, Survey

if TYPE_CHECKING:
    from pathlib import Path

_MAGIC, _PROTOCOL = 0x1950A86A20F9469CFC6C, 1001
_ARCHIVE = b"PK\x03\x04"
_PICKLE = b"\x80"  # of protocol 2 and later, which torch writes
# Sizes of the records at the end of a zip archive: the end record, and two more for a large one.
_END, _END_OF_LARGE = 22, 22 + 20 + 56


def read(path: Path) -> Any:
    """Return the contents of a checkpoint; tensors of an archive use the file's mapped memory.

    Raises:
        WeightsError: it is broken, would take more memory than it has bytes, or would run code.
    """
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            archive = data[: len(_ARCHIVE)] == _ARCHIVE
            if not archive and data[:1] != _PICKLE:
                raise ValueError("it is neither an archive of torch's nor a pickle")
            survey = _archive(file, data) if archive else _legacy(data)
        if survey.stored > path.stat().st_size:
            raise ValueError(f"its tensors need {survey.stored:,} bytes")
        with warnings.catch_warnings(action="ignore"):
            # torch's older format is not an archive and cannot be mapped.
            return torch.load(path, map_location="cpu", weights_only=True, mmap=archive)
    except MoreThanWeightsError as error:
        raise WeightsError(
            f"{path}: contains more than weights, and would run code when read ({error}); save"
            " only its state dict"
        ) from None
    except Exception as error:  # broken files cause many kinds of errors
        raise WeightsError(
            f"{path}: not a complete checkpoint ({_reason(error)}); download or save it again"
        ) from None


def _reason(error: Exception) -> str:
    """Return the problem in one line."""
    if isinstance(error, pickle.UnpicklingError):
        return "its pickle is broken"  # torch's message explains how to read the file unsafely
    kind = "" if isinstance(error, ValueError | OSError | RuntimeError) else type(error).__name__
    line = next(iter(str(error).strip().splitlines()), "")
    return ": ".join(filter(None, (kind, line)))[:160] or type(error).__name__


def _archive(file: IO[bytes], data: mmap.mmap) -> Survey:
    """Survey a zip archive, torch's format since 1.6.

    torch reads the archive with other code than Python: anything that the two could interpret
    differently is refused.
    """
    with zipfile.ZipFile(file) as archive:
        end = data[-_END:]
        large = data[-_END_OF_LARGE:-_END]
        if end[:4] != b"PK\x05\x06":
            raise ValueError("something follows the archive")
        start = int.from_bytes(end[16:20], "little")
        if large[56:60] == b"PK\x06\x07":
            start = int.from_bytes(large[48:56], "little")
            if int.from_bytes(large[64:72], "little") != len(data) - _END_OF_LARGE:
                raise ValueError("something stands between the archive's parts")
        if start != archive.start_dir:
            raise ValueError("something precedes the archive")
        entries = {entry.filename.lower(): entry for entry in archive.infolist()}
        if len(entries) != len(archive.infolist()):
            raise ValueError("two entries have one name")
        for entry in entries.values():
            if entry.compress_type != zipfile.ZIP_STORED or entry.compress_size != entry.file_size:
                raise ValueError(f"{entry.filename} is compressed, as torch writes none")
            if data[entry.header_offset : entry.header_offset + 4] != b"PK\x03\x04":
                raise ValueError(f"{entry.filename} has no header of its own")
        if sum(entry.file_size for entry in entries.values()) > len(data):
            raise ValueError("its entries are larger than the file")
        root = archive.infolist()[0].filename.partition("/")[0]
        survey = Survey(io.BytesIO(archive.read(f"{root}/data.pkl")))
    survey.load()
    for key, size in survey.sizes.items():
        name = f"{root}/data/{key}".lower()
        if name not in entries or size != entries[name].file_size:
            raise ValueError(f"{root}/data/{key} is not as large as its tensors")
    return survey


def _legacy(data: mmap.mmap) -> Survey:
    """Survey a sequence of pickles followed by the tensors' bytes, torch's format before 1.6."""
    if data[257:262] == b"ustar":
        raise ValueError("a tar archive, as torch wrote before 0.2: save it again with torch 1")
    survey = Survey(data)
    if survey.load() != _MAGIC or survey.load() != _PROTOCOL:
        raise ValueError("it does not begin as torch's files do")
    for _ in ("system", "content", "keys"):
        survey.load()
    return survey
