"""Values as they come back from quantization, which stay floating-point numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import paddle


class TorchQuantization(NamedTuple):
    """What a quantized tensor remembers: whole numbers, and what they stand for."""

    levels: paddle.Tensor
    scale: Any
    zero_point: Any
    axis: int | None
    scheme: str


def torch_quantize(
    input: Any, scale: Any, zero_point: Any, dtype: str, axis: int | None = None
) -> Any:
    """The values that a tensor keeps when it is quantized, with its levels; of several, those."""
    if isinstance(input, (list, tuple)):
        each = zip(input, scale, zero_point, strict=True)
        return tuple(torch_quantize(*one, dtype) for one in each)
    kind = dtype.removeprefix("torch.q")
    low, high = {"uint8": (0, 255), "int8": (-128, 127)}.get(kind, (-(2**31), 2**31 - 1))
    size, shift = (paddle.to_tensor(each, dtype="float32").detach() for each in (scale, zero_point))
    if axis is not None:
        shape = [1] * input.ndim
        shape[axis] = -1
        size, shift = size.reshape(shape), shift.reshape(shape)
    levels = paddle.round(input.detach() * (1.0 / size) + shift).astype("float64")
    levels = levels.clip(low, high).astype("int32")
    values = (levels - shift.astype("int32")).astype("float32") * size
    if axis is None:
        told: tuple[Any, Any] = (float(scale), int(zero_point))
    else:
        told = (scale.astype("float64"), zero_point.astype("int64"))
    scheme = "torch.per_tensor_affine" if axis is None else "torch.per_channel_affine"
    values.quantization = TorchQuantization(levels.astype(kind), *told, axis, scheme)
    return values


def torch_quantization(tensor: paddle.Tensor) -> TorchQuantization:
    """What a quantized tensor remembers."""
    found: TorchQuantization | None = getattr(tensor, "quantization", None)
    if found is None:
        raise RuntimeError("the tensor is not quantized, or was computed from one that is")
    return found


def torch_dequantize(tensor: Any) -> Any:
    """The values of a quantized tensor, or of several."""
    if isinstance(tensor, (list, tuple)):
        return tuple(torch_dequantize(one) for one in tensor)
    return tensor.clone()


def torch_fake_quantize(
    input: paddle.Tensor,
    scale: Any,
    zero_point: Any,
    quant_min: int,
    quant_max: int,
    axis: int | None = None,
) -> paddle.Tensor:
    """`torch.fake_quantize_per_tensor_affine`, and with an axis that of its channels.

    The gradient goes through where the value is within the limits.
    """
    size, shift = (paddle.to_tensor(each, dtype="float32").detach() for each in (scale, zero_point))
    if axis is not None:
        shape = [1] * input.ndim
        shape[axis] = -1
        size, shift = size.reshape(shape), shift.reshape(shape)
    levels = paddle.round(input.detach() * (1.0 / size)) + paddle.round(shift)
    inside = (levels >= quant_min) & (levels <= quant_max)
    value = (paddle.clip(levels, quant_min, quant_max) - paddle.round(shift)) * size
    passed = paddle.where(inside, input, paddle.zeros_like(input))
    return value.astype(input.dtype) + (passed - passed.detach())
