"""Mappings of tensors that are kept out of memory: on disk, or computed on access."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import torch

T = TypeVar("T")
_MMAP_THRESHOLD = -3  # of malloc.h
# Bytes; smaller tensors stay in memory.
_LARGE = 1 << 16


class Shelf(Mapping[str, "torch.Tensor | None"]):
    """Copies of tensors, with large ones in temporary files that the shelf owns."""

    def __init__(self, tensors: Iterable[tuple[str, torch.Tensor | None]] = ()) -> None:
        self._held: dict[str, torch.Tensor | Path | None] = {}
        self._numbers = count()
        for name, tensor in tensors:
            self[name] = tensor

    def __setitem__(self, name: str, tensor: torch.Tensor | None) -> None:
        if tensor is None:
            self._held[name] = None
        elif tensor.numel() * tensor.element_size() < _LARGE:
            self._held[name] = tensor.detach().clone()
        else:
            place = Path(self._folder.name) / f"{next(self._numbers)}.pt"
            torch.save(tensor.detach().contiguous().clone(), place)
            self._held[name] = place

    @cached_property
    def _folder(self) -> TemporaryDirectory[str]:
        return TemporaryDirectory(prefix="torchferry-verify-", ignore_cleanup_errors=True)

    def __getitem__(self, name: str) -> torch.Tensor | None:
        held = self._held[name]
        if isinstance(held, Path):
            found: torch.Tensor = torch.load(held, weights_only=True)
            return found
        return held

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)


class OnDemand(Mapping[str, T]):
    """A mapping that computes its values on each access."""

    def __init__(self, reads: Mapping[str, Callable[[], T]]) -> None:
        self._reads = reads

    def __getitem__(self, name: str) -> T:
        return self._reads[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._reads)

    def __len__(self) -> int:
        return len(self._reads)


def give_back_memory() -> None:
    """Return large freed tensors to the system, if the C library supports it.

    This takes time, but keeps a process from holding the memory of large models.
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, 1 << 20)
