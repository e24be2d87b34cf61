"""Complex tensors, taken by their real and by their imaginary parts."""

from __future__ import annotations

from typing import Any

import paddle


def torch_halves(function: Any, *tensors: Any) -> paddle.Tensor:
    """A linear function of complex tensors, of their real and of their imaginary parts."""
    parts = [[getattr(one, part)() for one in tensors] for part in ("real", "imag")]
    return paddle.complex(function(*parts[0]), function(*parts[1]))
