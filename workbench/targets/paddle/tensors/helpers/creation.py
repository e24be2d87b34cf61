"""Making tensors from Python and numpy data with torch's dtypes and sharing."""

from __future__ import annotations

from typing import Any

import numpy as np
import paddle

from workbench.targets.paddle.math.helpers.dtypes import torch_promote_types


def torch_listed_dtype(data: Any) -> Any:
    """What torch makes of a nested list that holds tensors among others; None where none does."""
    leaves = [data]
    while any(isinstance(leaf, (list, tuple)) for leaf in leaves):
        lists = [leaf if isinstance(leaf, (list, tuple)) else [leaf] for leaf in leaves]
        leaves = [leaf for one in lists for leaf in one]
    result = None
    if any(isinstance(leaf, paddle.Tensor) for leaf in leaves):
        for leaf in leaves:
            tensor = leaf if isinstance(leaf, paddle.Tensor) else paddle.to_tensor(leaf)
            result = torch_promote_types(result or tensor.dtype, tensor.dtype)
    return result


def torch_listed(data: Any) -> Any:
    """A nested list without tensors of bfloat16, whose values Paddle does not read in lists."""
    if isinstance(data, (list, tuple)):
        return [torch_listed(one) for one in data]
    narrow = isinstance(data, paddle.Tensor) and data.dtype == paddle.bfloat16
    return data.astype("float32") if narrow else data


def torch_tensor(
    data: Any, dtype: Any = None, place: Any = None, stop_gradient: bool = True
) -> paddle.Tensor:
    """A new tensor; numpy scalars and arrays within lists keep their dtype, as in torch.

    Tensors among numbers are promoted together with them.
    """
    if isinstance(data, range):
        data = list(data)
    if dtype is None and isinstance(data, (list, tuple)):
        first: Any = data
        while isinstance(first, (list, tuple)) and len(first) > 0:
            first = first[0]
        if isinstance(first, (np.generic, np.ndarray)):
            dtype = str(first.dtype)
        else:
            dtype = torch_listed_dtype(data)
    data = torch_listed(data) if isinstance(data, (list, tuple)) else data
    return paddle.to_tensor(data, dtype=dtype, place=place, stop_gradient=stop_gradient)


def torch_range(
    start: Any,
    end: Any,
    step: Any = 1,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> paddle.Tensor:
    """Numbers up to an end that counts as well; a floating dtype unless one is given."""
    count = int((float(end) - float(start)) / float(step)) + 1
    made = paddle.arange(count, dtype="float64") * float(step) + float(start)
    made = made.astype(dtype or paddle.get_default_dtype())
    made = made if device is None else made.to(device)
    return made.requires_grad_(requires_grad)


def torch_arange(
    start: Any,
    end: Any,
    step: Any = 1,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> paddle.Tensor:
    """`arange` in a dtype that a CPU counts in no kernel of."""
    made = paddle.arange(start, end, step, dtype=torch_counting(dtype), device=device)
    return made.astype(dtype).requires_grad_(requires_grad)


def torch_linspace(
    start: Any, end: Any, steps: Any, dtype: Any, device: Any = None, requires_grad: bool = False
) -> paddle.Tensor:
    """`linspace` in every dtype; complex numbers are computed part by part."""
    if dtype in (None, paddle.float32, paddle.float64, paddle.int32, paddle.int64):
        made = paddle.linspace(start, end, steps, dtype=dtype, device=device)
        return made.requires_grad_(requires_grad)
    if dtype in (paddle.complex64, paddle.complex128):
        ends = [
            complex(one.item() if isinstance(one, paddle.Tensor) else one) for one in (start, end)
        ]
        width = "float64" if dtype == paddle.complex128 else "float32"
        real = paddle.linspace(ends[0].real, ends[1].real, steps, dtype=width, device=device)
        imaginary = paddle.linspace(ends[0].imag, ends[1].imag, steps, dtype=width, device=device)
        return paddle.complex(real, imaginary).requires_grad_(requires_grad)
    made = paddle.linspace(start, end, steps, dtype=torch_counting(dtype), device=device)
    return made.astype(dtype).requires_grad_(requires_grad)


def torch_counting(dtype: Any) -> str:
    """A dtype that a CPU counts in, in place of one that it does not."""
    if dtype in (paddle.complex64, paddle.complex128):
        raise TypeError("Paddle counts in no complex numbers; make both parts by themselves")
    return "float32" if dtype in (paddle.float16, paddle.bfloat16) else "int64"


def torch_logspace(
    start: Any,
    end: Any,
    steps: int,
    base: float = 10.0,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> paddle.Tensor:
    """Powers of a base with exponents at equal distances, or none at all."""
    if steps:
        made = paddle.logspace(start, end, steps, base, dtype=dtype)
    else:
        made = paddle.zeros([0], dtype=dtype or paddle.get_default_dtype())
    made = made if device is None else made.to(device)
    return made.requires_grad_(requires_grad)


def torch_new_tensor(
    like: paddle.Tensor,
    data: Any,
    dtype: Any = None,
    place: Any = None,
    requires_grad: bool = False,
) -> paddle.Tensor:
    """`like.new_tensor(data)`: a new tensor of the same dtype on the same device."""
    return paddle.to_tensor(
        data,
        dtype=like.dtype if dtype is None else dtype,
        place=like.place if place is None else place,
        stop_gradient=not requires_grad,
    )


def torch_from_numpy(array: Any) -> paddle.Tensor:
    """A tensor that shares its memory with a numpy array."""
    if not array.flags.writeable or array.dtype.names is not None:
        return paddle.to_tensor(array)
    return paddle.from_dlpack(array)


def torch_as_tensor(data: Any, dtype: Any = None, place: Any = None) -> paddle.Tensor:
    """The tensor itself, or one that shares memory with an array, where nothing has to change."""
    if isinstance(data, np.ndarray):
        tensor = torch_from_numpy(data)
    elif isinstance(data, paddle.Tensor):
        tensor = data
    else:
        return torch_tensor(data, dtype, place)
    if dtype is not None:
        tensor = tensor.astype(dtype) if tensor.dtype != dtype else tensor
    return tensor if place is None else tensor.to(place)


def torch_asarray(
    data: Any, dtype: Any = None, place: Any = None, copy: Any = None, requires_grad: Any = None
) -> paddle.Tensor:
    """`torch.asarray`: shares memory where it can, unless a copy is asked for."""
    tensor = torch_as_tensor(data, dtype, place)
    if requires_grad is False and not tensor.stop_gradient:
        if tensor is not data or not tensor.is_leaf:
            tensor = tensor.detach()
        else:
            tensor.stop_gradient = True
    if copy:
        tensor = tensor.clone()
    if requires_grad:
        tensor.stop_gradient = False
    return tensor


def torch_placed(tensor: paddle.Tensor, place: Any, requires_grad: bool) -> paddle.Tensor:
    """A new tensor on a device, with or without gradients."""
    tensor = tensor if place is None else tensor.to(place)
    tensor.stop_gradient = not requires_grad
    return tensor


def torch_full(size: Any, fill_value: Any, dtype: Any = None, **rest: Any) -> paddle.Tensor:
    """A tensor filled with a value, of the dtype that torch takes from the value."""
    value = fill_value
    if dtype is not None:
        return paddle.full(size, value, dtype=dtype, **rest)
    if isinstance(value, (bool, np.bool_)):
        dtype = paddle.bool
    elif isinstance(value, (int, np.integer)):
        dtype = paddle.int64
    elif isinstance(value, paddle.Tensor):
        dtype = value.dtype
    elif isinstance(value, complex):
        dtype = paddle.complex64
    return paddle.full(size, value, dtype=dtype, **rest)


def torch_legacy_tensor(args: list[Any], dtype: Any, device: Any = None) -> paddle.Tensor:
    """A tensor of data, or an empty one of sizes, as torch's old constructors make it."""
    if len(args) == 1 and isinstance(args[0], paddle.Tensor):
        made = args[0].astype(dtype)
    elif (
        len(args) == 1
        and isinstance(args[0], (list, tuple, range, np.ndarray))
        and not isinstance(args[0], paddle.Size)
    ):
        made = paddle.to_tensor(
            np.asarray(args[0]) if not isinstance(args[0], np.ndarray) else args[0]
        ).astype(dtype)
    else:
        size = list(args[0]) if len(args) == 1 and isinstance(args[0], paddle.Size) else args
        made = paddle.empty(size or [0], dtype=dtype)
    return made if device is None else made.to(device)


class TorchTensorType(type):
    """What `torch.FloatTensor` and its like are: called with data or sizes, asked for a tensor."""

    dtype: Any
    gpu: bool

    def __new__(cls, name: str, gpu: bool = False) -> Any:
        return super().__new__(cls, name, (), {})

    def __init__(cls, name: str, gpu: bool = False) -> None:
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
        cls.dtype = getattr(paddle, names[name.removesuffix("Tensor")])
        cls.gpu = gpu

    def __call__(cls, *args: Any, device: Any = None) -> paddle.Tensor:
        made = torch_legacy_tensor(list(args), cls.dtype, device)
        return made.cuda() if cls.gpu else made

    def __instancecheck__(cls, instance: Any) -> bool:
        if not isinstance(instance, paddle.Tensor) or instance.dtype != cls.dtype:
            return False
        return not cls.gpu or instance.place.is_gpu_place()
