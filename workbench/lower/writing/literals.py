"""Plain values as Python source."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch

from workbench.lower.backend import Unsupported

if TYPE_CHECKING:
    from workbench.lower.writing.dialect import Dialect

HALF = frozenset({torch.float16, torch.bfloat16})


def literal(value: Any, dialect: Dialect) -> str:
    """A plain value as an expression; infinities and NaN by way of `float`.

    Raises:
        Unsupported: there is no literal of such a value, or the target lacks the dtype that it is.
    """
    if isinstance(value, torch.dtype):
        return repr(dialect.dtype_name(value))
    if isinstance(value, bool) or value is None or isinstance(value, (int, str)):
        return repr(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else f'float("{value}")'
    if isinstance(value, complex):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(literal(item, dialect) for item in value)}]"
    raise Unsupported(f"{type(value).__name__} cannot be written as a literal")
