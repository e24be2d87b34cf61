"""Activation functions, with torch's gradients at kinks."""

from __future__ import annotations

from workbench.lower.writing.call import Call, atom
from workbench.lower.writing.emitters import Write
from workbench.targets.jax.emitters.registry import emits

# torch's names with JAX's, for functions with equal values and gradients.
_SAME = {
    "relu": "jax.nn.relu",
    "silu": "jax.nn.silu",
    "sigmoid": "jax.nn.sigmoid",
    "special_expit": "jax.nn.sigmoid",
}


def _same(name: str) -> Write:
    def write(call: Call) -> str:
        return f"{name}({call.tensor('self', call.dtype)})"

    return write


for _torch_name, _name in _SAME.items():
    emits(_torch_name)(_same(_name))


@emits("relu6")
def _relu6(call: Call) -> str:
    return f"{call.helper('_hardtanh')}({call.tensor('self')}, 0, 6)"


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


@emits("mish")
def _mish(call: Call) -> str:
    return f"jax.nn.mish({call.tensor('self')})"


@emits("log_sigmoid")
def _log_sigmoid(call: Call) -> str:
    return f"jax.nn.log_sigmoid({call.tensor('self')})"


@emits("log_sigmoid_forward")
def _log_sigmoid_forward(call: Call) -> str:
    return f"({_log_sigmoid(call)}, None)"


@emits("hardsigmoid")
def _hardsigmoid(call: Call) -> str:
    return f"{call.helper('_hardtanh')}({atom(call.tensor('self'))} / 6 + 0.5, 0, 1)"


@emits("hardswish")
def _hardswish(call: Call) -> str:
    return f"{call.helper('_hardswish')}({call.tensor('self')})"


@emits("leaky_relu")
def _leaky_relu(call: Call) -> str:
    x = call.tensor("self")
    return f"jnp.where({x} > 0, {x}, {atom(x)} * {call.text('negative_slope')})"


@emits("elu")
def _elu(call: Call) -> str:
    rest = f"{call.text('alpha')}, {call.text('scale')}, {call.text('input_scale')}"
    if call["scale"] == 1 and call["input_scale"] == 1:
        return f"jax.nn.elu({call.tensor('self')}, {call.text('alpha')})"
    return f"{call.helper('_elu')}({call.tensor('self')}, {rest})"


@emits("selu")
def _selu(call: Call) -> str:
    return f"jax.nn.selu({call.tensor('self')})"


@emits("celu")
def _celu(call: Call) -> str:
    return f"jax.nn.celu({call.tensor('self')}, {call.text('alpha')})"


@emits("softplus")
def _softplus(call: Call) -> str:
    rest = f"{call.text('beta')}, {call.text('threshold')}"
    return f"{call.helper('_softplus')}({call.tensor('self')}, {rest})"


@emits("prelu", "_prelu_kernel")
def _prelu(call: Call) -> str:
    x, weight = call.tensor("self"), call.tensor("weight")
    rank = call.rank("self")
    if call.meta("weight").numel() > 1 and call.rank("weight") == 1 and rank > 2:
        weight = f"{weight}.reshape(-1{', 1' * (rank - 2)})"
    return f"jnp.where({x} > 0, {x}, {weight} * {atom(x)})"


@emits("threshold")
def _threshold(call: Call) -> str:
    x = call.tensor("self")
    # Written so that NaN, for which comparisons are false, is returned.
    return f"jnp.where({x} <= {call.text('threshold')}, {call.text('value')}, {x})"


@emits("softshrink")
def _softshrink(call: Call) -> str:
    return f"{call.helper('_softshrink')}({call.tensor('self')}, {call.text('lambd')})"


@emits("hardshrink")
def _hardshrink(call: Call) -> str:
    return f"{call.helper('_hardshrink')}({call.tensor('self')}, {call.text('lambd')})"


@emits("glu")
def _glu(call: Call) -> str:
    return f"jax.nn.glu({call.tensor('self')}, axis={call.text('dim')})"


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
