"""Products and quotients of two tensors, of which one may hold integers or truth values."""

from __future__ import annotations

from typing import Any

import paddle


def torch_lifted(value: Any, other: Any) -> Any:
    """A tensor in the dtype of another, where torch's arithmetic on both is of that dtype.

    Paddle promotes floats and complex numbers itself, and all tensors without dimensions.
    """
    dtypes = [paddle.bool, paddle.uint8, paddle.int8, paddle.int16, paddle.int32, paddle.int64]
    both = paddle.is_tensor(value) and paddle.is_tensor(other)
    if not both or value.dtype not in dtypes or value.ndim == 0 or other.ndim == 0:
        return value
    wider = dtypes[dtypes.index(value.dtype) + 1 :]
    lifts = other.dtype in wider or other.dtype not in dtypes
    return value.astype(other.dtype) if lifts else value


def torch_multiplied(first: Any, second: Any) -> Any:
    """The product of tensors of any dtypes, or of a tensor and a number."""
    return torch_lifted(first, second) * torch_lifted(second, first)


def torch_divided(first: Any, second: Any) -> Any:
    """The quotient of tensors of any dtypes, or of a tensor and a number."""
    return torch_lifted(first, second) / torch_lifted(second, first)
