"""Plain values as Python source."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch

from workbench.lower.backend import Unsupported

if TYPE_CHECKING:
    from workbench.lower.writing.dialect import Dialect

HALF = frozenset({torch.float16, torch.bfloat16})
# Length up to which a list is readable.
_SHORT = 32
_LISTED = frozenset({torch.float32, torch.float64, torch.int32, torch.int64, torch.bool})


def numbers(tensor: torch.Tensor, dialect: Dialect) -> str | None:
    """Return a short tensor as a nested list with its exact numbers, or None."""
    if tensor.dtype not in _LISTED or not 0 < tensor.numel() <= _SHORT:
        return None
    if tensor.dtype is torch.float32:
        # The shortest equivalent text: 0.1, not its float64 expansion.
        texts = [str(number) for number in tensor.flatten().numpy()]
        short = torch.tensor([float(text) for text in texts], dtype=torch.float64)
        short = short.reshape(tensor.shape)
        same = torch.equal(short.float().nan_to_num(), tensor.nan_to_num())
        tensor = short if same else tensor
    return literal(tensor.tolist(), dialect)


def literal(value: Any, dialect: Dialect) -> str:
    """Return a plain value as an expression; infinities and NaN use `float`.

    Raises:
        Unsupported: such a value has no literal, or the target lacks the dtype.
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
