"""Plain values as Python source, with Paddle's names for dtypes."""

from __future__ import annotations

import math
from typing import Any

import torch

from workbench.lower.backend import Unsupported

DTYPES = {
    torch.float32: "float32",
    torch.float64: "float64",
    torch.float16: "float16",
    torch.bfloat16: "bfloat16",
    torch.int64: "int64",
    torch.int32: "int32",
    torch.int16: "int16",
    torch.int8: "int8",
    torch.uint8: "uint8",
    torch.bool: "bool",
    torch.complex64: "complex64",
    torch.complex128: "complex128",
}
HALF = frozenset({torch.float16, torch.bfloat16})


def dtype_name(dtype: torch.dtype) -> str:
    """Paddle's name of a dtype.

    Raises:
        Unsupported: Paddle has no such dtype.
    """
    try:
        return DTYPES[dtype]
    except KeyError:
        raise Unsupported(f"Paddle has no dtype {str(dtype).removeprefix('torch.')}") from None


def literal(value: Any) -> str:
    """A plain value as an expression; infinities and NaN by way of `float`."""
    if isinstance(value, torch.dtype):
        return repr(dtype_name(value))
    if isinstance(value, bool) or value is None or isinstance(value, (int, str)):
        return repr(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else f'float("{value}")'
    if isinstance(value, complex):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(literal(item) for item in value)}]"
    raise Unsupported(f"{type(value).__name__} cannot be written as a literal")
