"""A target's spelling of dtypes, and of plain values."""

from __future__ import annotations

import math
from abc import ABC
from typing import TYPE_CHECKING, Any, ClassVar

import torch

from workbench.lower.backend import Unsupported

if TYPE_CHECKING:
    from collections.abc import Mapping

_SAME = ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool")
HALF = frozenset({torch.float16, torch.bfloat16})
# Length up to which a list is readable.
_SHORT = 32
_LISTED = frozenset({torch.float32, torch.float64, torch.int32, torch.int64, torch.bool})


class Notation(ABC):
    """A target's spelling of dtypes and casts.

    Attributes:
        title: the target's name in sentences.
        dtypes: the target's names of its dtypes.
    """

    title: ClassVar[str]
    dtypes: ClassVar[Mapping[torch.dtype, str]] = {getattr(torch, name): name for name in _SAME}

    def cast(self, expression: str, dtype: str) -> str:
        """Return the expression of a tensor in another dtype; `expression` is an atom."""
        return f'{expression}.astype("{dtype}")'

    def dtype_name(self, dtype: torch.dtype) -> str:
        """Return the target's name of a dtype.

        Raises:
            Unsupported: the target has no such dtype.
        """
        try:
            return self.dtypes[dtype]
        except KeyError:
            name = str(dtype).removeprefix("torch.")
            raise Unsupported(f"{self.title} has no dtype {name}") from None


def numbers(tensor: torch.Tensor, notation: Notation) -> str | None:
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
    return literal(tensor.tolist(), notation)


def literal(value: Any, notation: Notation) -> str:
    """Return a plain value as an expression; infinities and NaN use `float`.

    Raises:
        Unsupported: such a value has no literal, or the target lacks the dtype.
    """
    if isinstance(value, torch.dtype):
        return repr(notation.dtype_name(value))
    if isinstance(value, bool) or value is None or isinstance(value, (int, str)):
        return repr(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else f'float("{value}")'
    if isinstance(value, complex):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(literal(item, notation) for item in value)}]"
    raise Unsupported(f"{type(value).__name__} cannot be written as a literal")
