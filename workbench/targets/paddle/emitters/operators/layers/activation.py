"""Activation functions, with torch's values for NaN and infinity."""

from __future__ import annotations

from workbench.lower.writing.call import Call, atom
from workbench.targets.paddle.emitters.registry import emits


@emits("relu")
def _relu(call: Call) -> str:
    # Paddle's relu returns 0 for NaN; clip returns NaN at the same speed.
    if call.dtype.is_floating_point:
        return f'paddle.clip({call.tensor("self")}, 0.0, float("inf"))'
    return f"paddle.maximum({call.tensor('self')}, paddle.zeros([], {call.dtype_text()}))"


@emits("relu6")
def _relu6(call: Call) -> str:
    return f"F.relu6({call.tensor('self')})"


@emits("hardtanh")
def _hardtanh(call: Call) -> str:
    return f"paddle.clip({call.tensor('self')}, {call.text('min_val')}, {call.text('max_val')})"


@emits("gelu")
def _gelu(call: Call) -> str:
    approximate = ", approximate=True" if call["approximate"] == "tanh" else ""
    return f"F.gelu({call.tensor('self')}{approximate})"


@emits("silu")
def _silu(call: Call) -> str:
    # The gradient of Paddle's own silu is NaN below -88.
    return f"F.swish({call.tensor('self')})"


@emits("mish")
def _mish(call: Call) -> str:
    # Paddle's own loses digits near zero, where softplus is small.
    x = call.tensor("self")
    return f"{atom(x)} * paddle.tanh(F.softplus({x}))"


@emits("sigmoid", "special_expit")
def _sigmoid(call: Call) -> str:
    return f"F.sigmoid({call.tensor('self', call.dtype)})"


@emits("log_sigmoid")
def _log_sigmoid(call: Call) -> str:
    return f"{call.helper('_log_sigmoid')}({call.tensor('self')})"


@emits("hardsigmoid")
def _hardsigmoid(call: Call) -> str:
    # Paddle's default slope is 1/6 rounded to seven digits.
    return f"F.hardsigmoid({call.tensor('self')}, slope=1 / 6, offset=0.5)"


@emits("hardswish")
def _hardswish(call: Call) -> str:
    return f"F.hardswish({call.tensor('self')})"


@emits("leaky_relu")
def _leaky_relu(call: Call) -> str:
    return f"F.leaky_relu({call.tensor('self')}, {call.text('negative_slope')})"


@emits("elu")
def _elu(call: Call) -> str:
    x = call.tensor("self")
    if call["scale"] == 1 and call["input_scale"] == 1:
        return f"F.elu({x}, {call.text('alpha')})"
    scaled = x if call["input_scale"] == 1 else f"{atom(x)} * {call.text('input_scale')}"
    alpha, scale = call.text("alpha"), call.text("scale")
    return f"{scale} * paddle.where({x} > 0, {x}, {alpha} * paddle.expm1({scaled}))"


@emits("selu")
def _selu(call: Call) -> str:
    return f"F.selu({call.tensor('self')})"


@emits("celu")
def _celu(call: Call) -> str:
    return f"F.celu({call.tensor('self')}, {call.text('alpha')})"


@emits("softplus")
def _softplus(call: Call) -> str:
    beta, threshold = call.text("beta"), call.text("threshold")
    return f"F.softplus({call.tensor('self')}, beta={beta}, threshold={threshold})"


@emits("prelu", "_prelu_kernel")
def _prelu(call: Call) -> str:
    x, weight = call.tensor("self"), call.tensor("weight")
    rank = call.rank("self")
    if call.meta("weight").numel() > 1 and call.rank("weight") == 1 and rank > 2:
        weight = f"{weight}.reshape([-1{', 1' * (rank - 2)}])"
    return f"paddle.where({x} > 0, {x}, {weight} * {atom(x)})"


@emits("threshold")
def _threshold(call: Call) -> str:
    x = call.tensor("self")
    value = f"paddle.full([], {call.text('value')}, {call.dtype_text()})"
    # Written so that NaN, for which comparisons are false, is returned.
    return f"paddle.where({x} <= {call.text('threshold')}, {value}, {x})"


@emits("softshrink")
def _softshrink(call: Call) -> str:
    return f"F.softshrink({call.tensor('self')}, {call.text('lambd')})"


@emits("hardshrink")
def _hardshrink(call: Call) -> str:
    return f"F.hardshrink({call.tensor('self')}, {call.text('lambd')})"


@emits("glu")
def _glu(call: Call) -> str:
    return f"F.glu({call.tensor('self')}, axis={call.text('dim')})"


@emits("softmax.int", "_softmax")
def _softmax(call: Call) -> str:
    return f"F.softmax({call.tensor('self', call.dtype)}, axis={call.text('dim')})"


@emits("log_softmax.int", "_log_softmax")
def _log_softmax(call: Call) -> str:
    # Paddle's own clips everything below -64, including minus infinity.
    x = call.tensor("self", call.dtype)
    return f"{call.helper('_log_softmax')}({x}, {call.text('dim')})"
