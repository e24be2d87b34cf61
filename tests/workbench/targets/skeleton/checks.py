"""Checks of the inputs in every generated module, in NumPy."""

from __future__ import annotations

from typing import Any


def _expect(name: str, x: Any, dtype: str, sizes: list[Any]) -> None:
    if str(x.dtype) != dtype or list(x.shape) != sizes:
        raise ValueError(f"{name} is {x.dtype} of {x.shape}, not {dtype} of {sizes}")
