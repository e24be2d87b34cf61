"""Activation functions, with torch's gradients at kinks."""

from __future__ import annotations

from workbench.lower.writing.call import Call, atom
from workbench.targets.jax.emitters.registry import emits, writes

writes(
    {
        "relu6": "{_hardtanh}({self}, 0, 6)",
        "mish": "jax.nn.mish({self})",
        "hardsigmoid": "{_hardtanh}({self!a} / 6 + 0.5, 0, 1)",
        "hardswish": "{_hardswish}({self})",
        "leaky_relu": "jnp.where({self} > 0, {self}, {self!a} * {negative_slope})",
        "selu": "jax.nn.selu({self})",
        "celu": "jax.nn.celu({self}, {alpha})",
        "softplus": "{_softplus}({self}, {beta}, {threshold})",
        # Written so that NaN, for which comparisons are false, is returned.
        "threshold": "jnp.where({self} <= {threshold}, {value}, {self})",
        "softshrink": "{_softshrink}({self}, {lambd})",
        "hardshrink": "{_hardshrink}({self}, {lambd})",
        "glu": "jax.nn.glu({self}, axis={dim})",
    }
)

# torch's names with JAX's, for functions with equal values and gradients.
_SAME = {
    "relu": "jax.nn.relu",
    "silu": "jax.nn.silu",
    "sigmoid": "jax.nn.sigmoid",
    "special_expit": "jax.nn.sigmoid",
}


writes({name: f"{function}({{self:out}})" for name, function in _SAME.items()})


@emits("hardtanh")
def _hardtanh(call: Call) -> str:
    if not call.dtype.is_floating_point:
        call.refuse("fractional bounds of an integer tensor")
    limits = f"{call.text('min_val')}, {call.text('max_val')}"
    return f"{call.helper('_hardtanh')}({call.tensor('self')}, {limits})"


@emits("gelu")
def _gelu(call: Call) -> str:
    approximate = call["approximate"] == "tanh"
    return f"jax.nn.gelu({call.tensor('self')}, approximate={approximate})"


@emits("log_sigmoid")
def _log_sigmoid(call: Call) -> str:
    return f"jax.nn.log_sigmoid({call.tensor('self')})"


@emits("log_sigmoid_forward")
def _log_sigmoid_forward(call: Call) -> str:
    return f"({_log_sigmoid(call)}, None)"


@emits("elu")
def _elu(call: Call) -> str:
    rest = f"{call.text('alpha')}, {call.text('scale')}, {call.text('input_scale')}"
    if call["scale"] == 1 and call["input_scale"] == 1:
        return f"jax.nn.elu({call.tensor('self')}, {call.text('alpha')})"
    return f"{call.helper('_elu')}({call.tensor('self')}, {rest})"


@emits("prelu", "_prelu_kernel")
def _prelu(call: Call) -> str:
    x, weight = call.tensor("self"), call.tensor("weight")
    rank = call.rank("self")
    if call.meta("weight").numel() > 1 and call.rank("weight") == 1 and rank > 2:
        weight = f"{weight}.reshape(-1{', 1' * (rank - 2)})"
    return f"jnp.where({x} > 0, {x}, {weight} * {atom(x)})"


def _axis(call: Call) -> str:
    return "None" if call.rank("self") == 0 else call.text("dim")


@emits("softmax.int", "_softmax", "_safe_softmax")
def _softmax(call: Call) -> str:
    if "_safe" in str(call.node.target):
        return f"{call.helper('_safe_softmax')}({call.tensor('self', call.dtype)}, {_axis(call)})"
    return f"jax.nn.softmax({call.tensor('self', call.dtype)}, axis={_axis(call)})"


@emits("log_softmax.int", "_log_softmax")
def _log_softmax(call: Call) -> str:
    return f"jax.nn.log_softmax({call.tensor('self', call.dtype)}, axis={_axis(call)})"
