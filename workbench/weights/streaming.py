"""Checkpoints written tensor by tensor: no more than one is in memory at a time."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import torch

from workbench import files
from workbench.weights.errors import WeightsError

CODES = {
    torch.float64: "F64",
    torch.float32: "F32",
    torch.float16: "F16",
    torch.bfloat16: "BF16",
    torch.float8_e4m3fn: "F8_E4M3",
    torch.float8_e5m2: "F8_E5M2",
    torch.complex64: "C64",
    torch.int64: "I64",
    torch.int32: "I32",
    torch.int16: "I16",
    torch.int8: "I8",
    torch.uint64: "U64",
    torch.uint32: "U32",
    torch.uint16: "U16",
    torch.uint8: "U8",
    torch.bool: "BOOL",
}
DTYPES = {code: dtype for dtype, code in CODES.items()}


@dataclass(frozen=True, slots=True)
class Entry:
    """A tensor that will be written: its name, dtype and shape."""

    name: str
    dtype: torch.dtype
    shape: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """The bytes of its elements."""
        return math.prod(self.shape) * self.dtype.itemsize


def write_safetensors(
    place: Path, entries: Sequence[Entry], tensor: Callable[[str], torch.Tensor]
) -> None:
    """Write a `.safetensors` file.

    Args:
        place: the file.
        entries: its tensors.
        tensor: returns a tensor by its name; it is called once for each, when it is written.

    Raises:
        WeightsError: the format has no such dtype, or a tensor is not the one that was announced.
        TorchferryError: no space, or no permission to write.
    """

    def write(name: Path) -> None:
        with name.open("wb") as file:
            file.write(_header(place, entries))
            for entry in entries:
                _write(file, place, entry, tensor(entry.name))

    files.fill(place, write)


def _header(place: Path, entries: Sequence[Entry]) -> bytes:
    held: dict[str, object] = {"__metadata__": {"format": "pt"}}
    start = 0
    for entry in entries:
        code = CODES.get(entry.dtype)
        if code is None:
            raise WeightsError(f"{place}: {entry.name} is {entry.dtype}, which the format lacks")
        end = start + entry.nbytes
        held[entry.name] = {"dtype": code, "shape": entry.shape, "data_offsets": [start, end]}
        start = end
    text = json.dumps(held, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # tensors begin at multiples of eight bytes
    return struct.pack("<Q", len(text)) + text


def _write(file: BinaryIO, place: Path, entry: Entry, value: torch.Tensor) -> None:
    if value.dtype != entry.dtype or tuple(value.shape) != entry.shape:
        raise WeightsError(f"{place}: {entry.name} changed while it was written; write it again")
    plain = value.detach().contiguous().reshape(-1)
    file.write(plain.view(torch.uint8).numpy().data)
