"""Conversions of tensors whose form is decided when they run."""

from __future__ import annotations

from typing import Any

import paddle

from workbench.targets.paddle.math.helpers.dtypes import torch_kind


def torch_to(
    tensor: paddle.Tensor,
    args: list[Any],
    device: Any = None,
    dtype: Any = None,
    other: Any = None,
    copy: bool = False,
) -> paddle.Tensor:
    """`Tensor.to` in all of its forms; with `copy` the result never is the tensor itself."""
    flags = [arg for arg in args if isinstance(arg, bool)]
    args = [arg for arg in args if not isinstance(arg, bool)]
    if other is not None:
        args = [other]
    keywords = {"device": device, "dtype": dtype}
    given = {name: value for name, value in keywords.items() if value is not None}
    result = tensor.to(*args, **given) if args or given else tensor
    changed = result.dtype != tensor.dtype
    if changed and (torch_kind(result.dtype) < 2 or not paddle.is_grad_enabled()):
        result = result.detach()  # Paddle's own goes on asking for gradients
    return result.clone() if (copy or flags[1:] == [True]) and result is tensor else result


def torch_type_name(tensor: paddle.Tensor) -> str:
    """The name of the tensor's type as torch writes it, such as torch.FloatTensor."""
    names = {
        "float32": "Float",
        "float64": "Double",
        "float16": "Half",
        "bfloat16": "BFloat16",
        "uint8": "Byte",
        "int8": "Char",
        "int16": "Short",
        "int32": "Int",
        "int64": "Long",
        "bool": "Bool",
        "complex64": "ComplexFloat",
        "complex128": "ComplexDouble",
    }
    place = "cuda." if tensor.place.is_gpu_place() else ""
    return f"torch.{place}{names[str(tensor.dtype).rpartition('.')[2]]}Tensor"


def torch_as_type(tensor: paddle.Tensor, dtype: Any) -> paddle.Tensor:
    """The tensor as another type, which may be named as torch does: torch.LongTensor."""
    names = {
        "Float": "float32",
        "Double": "float64",
        "Half": "float16",
        "BFloat16": "bfloat16",
        "Byte": "uint8",
        "Char": "int8",
        "Short": "int16",
        "Int": "int32",
        "Long": "int64",
        "Bool": "bool",
    }
    if isinstance(dtype, str):
        kind = dtype.rpartition(".")[2].removesuffix("Tensor")
        moved = tensor.cuda() if ".cuda." in dtype else tensor.cpu()
        default = kind or paddle.get_default_dtype()  # of torch.Tensor itself
        return torch_as_type(moved, getattr(paddle, names.get(kind, default)))
    if dtype is paddle.Tensor:
        dtype = paddle.get_default_dtype()
    if isinstance(dtype, type):
        held = vars(dtype)
        return (tensor.cuda() if held["gpu"] else tensor).astype(held["dtype"])
    # Integers never ask for gradients in torch; Paddle's own would go on to.
    return (tensor.detach() if torch_kind(dtype) < 2 else tensor).astype(dtype)


def torch_is_signed(dtype: Any) -> bool:
    """Whether numbers of a dtype may be negative."""
    return torch_kind(dtype) > 0 and not str(dtype).rpartition(".")[2].startswith("uint")
