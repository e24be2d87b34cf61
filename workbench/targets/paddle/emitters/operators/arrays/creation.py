"""New tensors of known content."""

from __future__ import annotations

from workbench.lower.writing.call import Call
from workbench.lower.writing.emitters import Write
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


def _shape(call: Call) -> str:
    """Return the size argument, or else the shape of the tensor whose shape is copied."""
    if call.has("size"):
        return call.text("size")
    sizes = call.meta("self").shape
    if all(isinstance(size, int) for size in sizes):
        return str([int(size) for size in sizes])
    return f"{call.text('self')}.shape"


def _constant(number: str) -> Write:
    def write(call: Call) -> str:
        return f"paddle.full({_shape(call)}, {number}, {call.dtype_text()})"

    return write


def _named(name: str) -> Write:
    def write(call: Call) -> str:
        return f"paddle.{name}({_shape(call)}, {call.dtype_text()})"

    return write


for _name in ("zeros", "ones"):
    emits(_name, f"{_name}_like", f"new_{_name}", native=True)(_named(_name))
emits("zero", native=True)(_named("zeros"))
# Values that torch leaves uninitialised can be anything; zeros are the safest choice.
emits("empty.memory_format", "empty_like", "new_empty", "empty", native=True)(_named("zeros"))
emits("empty_strided", "new_empty_strided", "empty_permuted", native=True)(_named("zeros"))


@emits("full", "full_like", "new_full", native=True)
def _full(call: Call) -> str:
    value = call.text("fill_value")
    return f"paddle.full({_shape(call)}, {value}, {call.dtype_text()})"


@emits("fill.Scalar", "fill.Tensor", native=True)
def _fill(call: Call) -> str:
    if call.is_tensor("value"):
        shape = _shape(call)
        return f"paddle.expand({call.tensor('value', call.dtype)}, {shape})"
    return f"paddle.full({_shape(call)}, {call.text('value')}, {call.dtype_text()})"


@emits("eye", "eye.m", native=True)
def _eye(call: Call) -> str:
    columns = f", {call.text('m')}" if call.has("m") else ""
    return f"paddle.eye({call.text('n')}{columns}, dtype={call.dtype_text()})"
