"""Which dtype torch computes in: promotion between tensors and numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import paddle


def torch_default_dtype() -> Any:
    """The default dtype as a dtype; Paddle's own function answers with its name."""
    return getattr(paddle, paddle.get_default_dtype())


def torch_promote_types(first: Any, second: Any) -> Any:
    """The dtype that torch computes in for two tensors of these dtypes."""
    if first == second:
        return first
    names = [str(dtype).rpartition(".")[2] for dtype in (first, second)]
    for name, other in (names, names[::-1]):
        if name.startswith(("float", "bfloat", "complex")) and not other.startswith(
            ("float", "bfloat", "complex")
        ):
            return getattr(paddle, name)
        if name == "bfloat16" and other == "float16":
            return paddle.float32
        if name == "bfloat16":
            return paddle.complex64 if other == "complex64" else getattr(paddle, other)
    return getattr(paddle, str(np.promote_types(names[0], names[1])))


def torch_result_type(*values: Any) -> Any:
    """The dtype of torch's arithmetic on tensors and numbers.

    Tensors with dimensions outrank those without, which outrank Python numbers, unless the
    kind (bool, integer, floating, complex) of the lower one is a higher one.
    """
    ranks: list[Any] = [None, None, None]
    for value in values:
        if isinstance(value, paddle.Tensor):
            rank, dtype = (0 if value.ndim else 1), value.dtype
        elif isinstance(value, (bool, np.bool_)):
            rank, dtype = 2, paddle.bool
        elif isinstance(value, (int, np.integer)):
            rank, dtype = 2, paddle.int64
        elif isinstance(value, complex):
            wide = paddle.get_default_dtype() == "float64"
            rank, dtype = 2, paddle.complex128 if wide else paddle.complex64
        else:
            rank, dtype = 2, getattr(paddle, paddle.get_default_dtype())
        ranks[rank] = dtype if ranks[rank] is None else torch_promote_types(ranks[rank], dtype)
    result: Any = None
    for dtype in ranks:
        if dtype is None:
            continue
        if result is None:
            result = dtype
        elif torch_kind(dtype) > torch_kind(result):
            if torch_kind(dtype) == 3 and torch_kind(result) == 2:
                wide = result == paddle.float64
                result = paddle.complex128 if wide else paddle.complex64
            elif torch_kind(result) < 2 or torch_kind(dtype) == 3:
                result = dtype
    return result


def torch_kind(dtype: Any) -> int:
    """0 for bool, 1 for integers, 2 for floating point, 3 for complex numbers."""
    name = str(dtype).rpartition(".")[2]
    if name == "bool":
        return 0
    return 3 if name.startswith("complex") else 2 if "float" in name else 1


def torch_can_cast(source: Any, target: Any) -> bool:
    """Whether torch lets a result of one dtype be written into the other."""
    return torch_kind(source) <= torch_kind(target)


def torch_promote(*values: Any) -> list[Any]:
    """The tensors among the values cast to the dtype that torch computes in.

    Numbers stay numbers beside a tensor; where there is no tensor, the first becomes one.
    """
    dtype = torch_result_type(*values)
    if not any(isinstance(value, paddle.Tensor) for value in values):
        values = (paddle.to_tensor(values[0], dtype=dtype), *values[1:])
    return [
        value.astype(dtype) if isinstance(value, paddle.Tensor) and value.dtype != dtype else value
        for value in values
    ]


def torch_dtype_size(dtype: Any) -> int:
    """How many bytes a value of a dtype takes."""
    return int(paddle.zeros([1]).astype(dtype).element_size())


def torch_to_complex(dtype: Any) -> Any:
    """The complex dtype whose parts are of a dtype."""
    return paddle.complex128 if dtype in (paddle.float64, paddle.complex128) else paddle.complex64


def torch_to_real(dtype: Any) -> Any:
    """The dtype of the parts of a complex one; real ones stay."""
    parts = {"complex64": paddle.float32, "complex128": paddle.float64}
    return parts.get(str(dtype).rpartition(".")[2], dtype)


def torch_inexact(tensor: paddle.Tensor) -> paddle.Tensor:
    """Integers as numbers of the default dtype, others as they are."""
    if torch_kind(tensor.dtype) < 2:
        return tensor.astype(paddle.get_default_dtype())
    return tensor


def torch_widely(function: Any, tensor: paddle.Tensor, *others: Any) -> paddle.Tensor:
    """A function that only moves values, of dtypes too for which a CPU has no kernels of it."""
    return function(tensor.astype("int32"), *others).astype(tensor.dtype)


def torch_with_kernels(function: Any, first: paddle.Tensor, second: paddle.Tensor) -> paddle.Tensor:
    """A function of two tensors of one dtype, also of those for which a CPU has no kernels."""
    name = str(first.dtype).rpartition(".")[2]
    wide = {
        "float16": "float32",
        "bfloat16": "float32",
        "uint8": "int32",
        "int8": "int32",
        "int16": "int32",
    }.get(name)
    if wide is None or not first.place.is_cpu_place():
        return function(first, second)
    return function(first.astype(wide), second.astype(wide)).astype(first.dtype)
