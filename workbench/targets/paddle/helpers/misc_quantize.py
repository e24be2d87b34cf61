"""Values as they come back from quantization, which stay floating-point numbers."""

from __future__ import annotations

from typing import Any

import paddle


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
    size, shift = (
        paddle.to_tensor(each, dtype="float32").detach() for each in (scale, zero_point)
    )
    if axis is not None:
        shape = [1] * input.ndim
        shape[axis] = -1
        size, shift = size.reshape(shape), shift.reshape(shape)
    levels = paddle.round(input.detach() * (1.0 / size)) + paddle.round(shift)
    inside = (levels >= quant_min) & (levels <= quant_max)
    value = (paddle.clip(levels, quant_min, quant_max) - paddle.round(shift)) * size
    passed = paddle.where(inside, input, paddle.zeros_like(input))
    return value.astype(input.dtype) + (passed - passed.detach())
