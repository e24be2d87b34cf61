"""New tensors of known content."""

from __future__ import annotations

from workbench.lower.writing.call import Call
from workbench.targets.paddle.emitters.registry import emits, writes

writes(
    {
        "scalar_tensor": "paddle.full([], {s}, {dtype})",
        "linspace": "paddle.linspace({start}, {end}, {steps}, dtype={dtype})",
        "tril_indices": "paddle.tril_indices({row}, {col}, {offset}, dtype={dtype})",
        "triu_indices": "paddle.triu_indices({row}, {col}, {offset}, dtype={dtype})",
    },
    native=True,
)


@emits("arange", "arange.start", "arange.start_step", native=True)
def _arange(call: Call) -> str:
    start = call.text("start") if call.has("start") else "0"
    step = call.text("step") if call.has("step") else "1"
    return f"paddle.arange({start}, {call.text('end')}, {step}, dtype={call.dtype_text()})"


writes(
    {
        # Values that torch leaves uninitialised can be anything; zeros are the safest choice.
        "zeros zeros_like new_zeros zero empty empty.memory_format empty_like new_empty"
        " empty_strided new_empty_strided empty_permuted": "paddle.zeros({new_shape}, {dtype})",
        "ones ones_like new_ones": "paddle.ones({new_shape}, {dtype})",
        "full full_like new_full": "paddle.full({new_shape}, {fill_value}, {dtype})",
    },
    native=True,
)


@emits("fill.Scalar", "fill.Tensor", native=True)
def _fill(call: Call) -> str:
    if call.is_tensor("value"):
        shape = call.shape_text()
        return f"paddle.expand({call.tensor('value', call.dtype)}, {shape})"
    return f"paddle.full({call.shape_text()}, {call.text('value')}, {call.dtype_text()})"


@emits("eye", "eye.m", native=True)
def _eye(call: Call) -> str:
    columns = f", {call.text('m')}" if call.has("m") else ""
    return f"paddle.eye({call.text('n')}{columns}, dtype={call.dtype_text()})"
