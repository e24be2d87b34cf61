"""The safetensors format: a header of JSON, then the tensors' bytes; nothing in it can run.

Read through a memory map, so that a tensor costs memory only when its bytes are touched.
"""

from __future__ import annotations

import json
import mmap
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from workbench.weights.errors import WeightsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_DTYPES = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "I64": torch.int64,
    "I32": torch.int32,
    "I16": torch.int16,
    "I8": torch.int8,
    "U8": torch.uint8,
    "BOOL": torch.bool,
    "C64": torch.complex64,
    "F8_E4M3": torch.float8_e4m3fn,
    "F8_E5M2": torch.float8_e5m2,
}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}
# The format's own limit; a header beyond it is no header.
_LARGEST_HEADER = 100_000_000


class SafeTensors:
    """The tensors of one file, by name, read when asked for.

    Raises:
        WeightsError: the file is truncated, or is none of this format.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        size = path.stat().st_size
        if size < 8:
            raise self._broken(f"it has {size} bytes")
        with path.open("rb") as file:
            # A private map: what is written into a tensor later never reaches the file.
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        length = int.from_bytes(self._map[:8], "little")
        if length > min(_LARGEST_HEADER, size - 8):
            raise self._broken("its header does not fit into it")
        try:
            header = json.loads(bytes(self._map[8 : 8 + length]))
        except ValueError as error:
            raise self._broken(f"its header is no JSON ({error})") from None
        if not isinstance(header, dict):
            raise self._broken("its header is no table")
        header.pop("__metadata__", None)
        self._start = 8 + length
        self._entries = {name: self._entry(name, e, size) for name, e in header.items()}

    def names(self) -> Iterator[str]:
        """The tensors' names."""
        return iter(self._entries)

    def nbytes(self, name: str) -> int:
        """Bytes of one tensor."""
        dtype, shape, _ = self._entries[name]
        return dtype.itemsize * prod(shape)

    def tensor(self, name: str) -> torch.Tensor:
        """One tensor, on the file's mapped memory."""
        dtype, shape, start = self._entries[name]
        count = prod(shape)
        if not count:
            return torch.empty(shape, dtype=dtype)
        flat = torch.frombuffer(
            self._map, dtype=torch.uint8, count=count * dtype.itemsize, offset=start
        )
        if start % dtype.itemsize:
            # Bytes that lie across the dtype's grain cannot be viewed where they are.
            flat = flat.clone()
        return flat.view(dtype).reshape(shape)

    def _entry(self, name: str, entry: Any, size: int) -> tuple[torch.dtype, tuple[int, ...], int]:
        try:
            dtype, shape = _DTYPES[entry["dtype"]], tuple(int(n) for n in entry["shape"])
            start, end = (int(n) for n in entry["data_offsets"])
        except (KeyError, TypeError, ValueError):
            raise self._broken(f"{name} is described wrongly") from None
        fits = 0 <= start <= end and self._start + end <= size and all(n >= 0 for n in shape)
        if not fits or end - start != dtype.itemsize * prod(shape):
            raise self._broken(f"{name} does not lie inside it")
        return dtype, shape, self._start + start

    def _broken(self, why: str) -> WeightsError:
        return WeightsError(
            f"{self.path}: no complete safetensors file: {why}; fetch or write it again"
        )


def write(
    path: Path,
    names: Mapping[str, tuple[torch.dtype, tuple[int, ...]]],
    tensor: Callable[[str], torch.Tensor],
) -> None:
    """Write tensors one by one, so that one at a time is in memory.

    Args:
        path: where to; appears whole or not at all.
        names: dtype and shape of each tensor.
        tensor: gives a tensor by its name.

    Raises:
        WeightsError: a dtype that the format does not have.
    """
    header: dict[str, Any] = {}
    place = 0
    for name, (dtype, shape) in names.items():
        if dtype not in _NAMES:
            raise WeightsError(f"{name}: safetensors has no {dtype}; write another format")
        end = place + dtype.itemsize * prod(shape)
        header[name] = {
            "dtype": _NAMES[dtype],
            "shape": list(shape),
            "data_offsets": [place, end],
        }
        place = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    partial = path.with_name(f".{path.name}.partial")
    try:
        with partial.open("wb") as file:
            file.write(len(text).to_bytes(8, "little") + text)
            for name in names:
                flat = tensor(name).detach().contiguous().reshape(-1)
                file.write(flat.view(torch.uint8).numpy().tobytes())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
