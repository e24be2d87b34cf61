"""New arrays of known content."""

from __future__ import annotations

from workbench.lower.writing.call import Call
from workbench.lower.writing.emission import operator_name
from workbench.lower.writing.emitters import Write
from workbench.targets.jax.emitters.registry import emits, writes

writes(
    {
        "scalar_tensor": "jnp.array({s}, {dtype})",
        "linspace": "{_linspace}({start}, {end}, {steps}, {dtype})",
    },
    native=True,
)


@emits("arange", "arange.start", "arange.start_step", native=True)
def _arange(call: Call) -> str:
    start = call.text("start") if call.has("start") else "0"
    step = call.text("step") if call.has("step") else "1"
    end = call.text("end")
    ends = f"{start}, {end}, {step}" if step != "1" else f"{start}, {end}"
    ends = end if (start, step) == ("0", "1") else ends
    return f"jnp.arange({ends}, dtype={call.dtype_text()})"


writes(
    {
        # Values that torch leaves uninitialised can be anything; zeros are the safest choice.
        "zeros zeros_like new_zeros zero empty empty.memory_format empty_like new_empty"
        " empty_strided new_empty_strided empty_permuted": "jnp.zeros({new_shape}, {dtype})",
        "ones ones_like new_ones": "jnp.ones({new_shape}, {dtype})",
        "full full_like new_full": "jnp.full({new_shape}, {fill_value}, {dtype})",
    },
    native=True,
)


@emits("fill.Scalar", "fill.Tensor", native=True)
def _fill(call: Call) -> str:
    value = call.operand("value", call.dtype)
    return f"jnp.full({call.shape_text()}, {value}, {call.dtype_text()})"


@emits("eye", "eye.m", native=True)
def _eye(call: Call) -> str:
    columns = f", {call.text('m')}" if call.has("m") else ""
    return f"jnp.eye({call.text('n')}{columns}, dtype={call.dtype_text()})"


def _indices(name: str) -> Write:
    def write(call: Call) -> str:
        sizes = f"{call.text('row')}, {call.text('offset')}, {call.text('col')}"
        return f"jnp.stack(jnp.{name}_indices({sizes})).astype({call.dtype_text()})"

    return write


emits("tril_indices", native=True)(_indices("tril"))
emits("triu_indices", native=True)(_indices("triu"))


_WINDOWS = {
    "hann_window": [0.5, 0.5],
    "hamming_window": [0.54, 0.46],
    "blackman_window": [0.42, 0.5, 0.08],
}


@emits(
    *(f"{name}{overload}" for name in _WINDOWS for overload in ("", ".periodic")),
    "hamming_window.periodic_alpha",
    "hamming_window.periodic_alpha_beta",
    native=True,
)
def _window(call: Call) -> str:
    weights = list(_WINDOWS[operator_name(call.node.target).partition(".")[0]])
    for at, name in enumerate(("alpha", "beta")):
        weights[at] = call[name] if call.has(name) else weights[at]
    periodic = call["periodic"] if call.has("periodic") else True
    rest = f"{call.text('window_length')}, {periodic}, {weights}, {call.dtype_text()}"
    return f"{call.helper('_cosine_window')}({rest})"
