"""Values of torch written as source code, as a person would write them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from workbench.errors import TorchferryError

_LITERAL = 24  # elements; larger tensors are passed to both sides as arrays


class UnwritableError(TorchferryError):
    """A sample that cannot be written as source code; the message gives the reason."""


class Setup:
    """The lines that bind a snippet's inputs, and the arrays that they use.

    A tensor is bound once, to `t0`, `t1`, … in the order of appearance.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}
        self._names: dict[int, str] = {}
        self._kept: list[torch.Tensor] = []
        self.leaves: list[str] = []

    def spell(self, value: Any) -> str:
        """Return an expression for a value.

        Raises:
            UnwritableError: no source code expresses this value.
        """
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if isinstance(value, torch.Size):
            return f"torch.Size({list(value)})"
        if isinstance(value, tuple) and type(value) is tuple:
            inner = ", ".join(self.spell(item) for item in value)
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        if isinstance(value, list):
            return f"[{', '.join(self.spell(item) for item in value)}]"
        if isinstance(value, dict):
            pairs = (f"{self.spell(key)}: {self.spell(item)}" for key, item in value.items())
            return f"{{{', '.join(pairs)}}}"
        if isinstance(value, slice):
            parts = (self.spell(part) for part in (value.start, value.stop, value.step))
            return f"slice({', '.join(parts)})"
        if isinstance(value, np.generic):
            return self.spell(value.item())
        return _scalar(value)

    def _tensor(self, value: torch.Tensor) -> str:
        if id(value) in self._names:
            return self._names[id(value)]
        if value.layout is not torch.strided or value.is_quantized:
            raise UnwritableError("its input is no dense tensor")
        name = f"t{len(self._names)}"
        self._names[id(value)] = name
        self._kept.append(value)
        plain = value.detach().resolve_conj().resolve_neg()
        spread = not plain.is_contiguous() and plain.ndim > 0 and plain.numel() > 0
        if spread:  # every second element of a tensor that is twice as wide
            plain = plain.repeat_interleave(2, dim=-1)
        text = f"torch.tensor({self._data(name, plain)}, dtype={plain.dtype}"
        if spread:
            self.lines.append(f"{name} = {text})[..., ::2]")
            if value.requires_grad:
                self.lines[-1] = f"{name} = {text})[..., ::2].requires_grad_()"
        else:
            grad = ", requires_grad=True" if value.requires_grad else ""
            self.lines.append(f"{name} = {text}{grad})")
        if value.requires_grad:
            self.leaves.append(name)
        return name

    def _data(self, name: str, value: torch.Tensor) -> str:
        narrow = value.dtype in (torch.bfloat16, torch.float16)
        array = (value.float() if narrow else value).numpy()
        finite = bool(np.isfinite(array).all())
        literal = array.size <= _LITERAL and (finite or array.dtype.kind != "c")
        if literal and 0 not in array.shape:
            return _nested(array)
        key = f"{name}_data"
        self.arrays[key] = array.copy()
        return key


def _nested(array: np.ndarray[Any, Any]) -> str:
    if array.ndim:
        return f"[{', '.join(_nested(row) for row in array)}]"
    return _scalar(float(str(array)) if array.dtype == np.float32 else array.item())


def _scalar(value: Any) -> str:
    """Return the source of a number, a string, or one of torch's constants."""
    if value is None or isinstance(value, bool | int | str | bytes):
        return repr(value)
    if value is Ellipsis:
        return "..."
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else f'float("{value}")'
    if isinstance(value, complex):
        parts = f"{_scalar(value.real)}, {_scalar(value.imag)}"
        return repr(value) if np.isfinite(value) else f"complex({parts})"
    if isinstance(value, torch.device):
        return repr(str(value))
    if isinstance(value, torch.dtype | torch.layout | torch.memory_format):
        return str(value)
    raise UnwritableError(f"source code cannot say its argument of type {type(value).__name__}")
