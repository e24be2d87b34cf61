"""Activation functions, with torch's values for NaN and infinity."""

from __future__ import annotations

from workbench.lower.writing.call import Call, atom
from workbench.targets.paddle.emitters.registry import emits, writes

writes(
    {
        "relu6": "F.relu6({self})",
        "hardtanh": "paddle.clip({self}, {min_val}, {max_val})",
        # The gradient of Paddle's own silu is NaN below -88.
        "silu": "F.swish({self})",
        # Paddle's own loses digits near zero, where softplus is small.
        "mish": "{self!a} * paddle.tanh(F.softplus({self}))",
        "sigmoid special_expit": "F.sigmoid({self:out})",
        "log_sigmoid": "{_log_sigmoid}({self})",
        # Paddle's default slope is 1/6 rounded to seven digits.
        "hardsigmoid": "F.hardsigmoid({self}, slope=1 / 6, offset=0.5)",
        "hardswish": "F.hardswish({self})",
        "leaky_relu": "F.leaky_relu({self}, {negative_slope})",
        "selu": "F.selu({self})",
        "celu": "F.celu({self}, {alpha})",
        "softplus": "F.softplus({self}, beta={beta}, threshold={threshold})",
        # Written so that NaN, for which comparisons are false, is returned.
        "threshold": (
            "paddle.where({self} <= {threshold}, paddle.full([], {value}, {dtype}), {self})"
        ),
        "softshrink": "F.softshrink({self}, {lambd})",
        "hardshrink": "F.hardshrink({self}, {lambd})",
        "glu": "F.glu({self}, axis={dim})",
        "softmax.int _softmax": "F.softmax({self:out}, axis={dim})",
        # Paddle's own clips everything below -64, including minus infinity.
        "log_softmax.int _log_softmax": "{_log_softmax}({self:out}, {dim})",
    }
)


@emits("relu")
def _relu(call: Call) -> str:
    # Paddle's relu returns 0 for NaN; clip returns NaN at the same speed.
    if call.dtype.is_floating_point:
        return f'paddle.clip({call.tensor("self")}, 0.0, float("inf"))'
    return f"paddle.maximum({call.tensor('self')}, paddle.zeros([], {call.dtype_text()}))"


@emits("gelu")
def _gelu(call: Call) -> str:
    approximate = ", approximate=True" if call["approximate"] == "tanh" else ""
    return f"F.gelu({call.tensor('self')}{approximate})"


@emits("elu")
def _elu(call: Call) -> str:
    x = call.tensor("self")
    if call["scale"] == 1 and call["input_scale"] == 1:
        return f"F.elu({x}, {call.text('alpha')})"
    scaled = x if call["input_scale"] == 1 else f"{atom(x)} * {call.text('input_scale')}"
    alpha, scale = call.text("alpha"), call.text("scale")
    return f"{scale} * paddle.where({x} > 0, {x}, {alpha} * paddle.expm1({scaled}))"


@emits("prelu", "_prelu_kernel")
def _prelu(call: Call) -> str:
    x, weight = call.tensor("self"), call.tensor("weight")
    rank = call.rank("self")
    if call.meta("weight").numel() > 1 and call.rank("weight") == 1 and rank > 2:
        weight = f"{weight}.reshape([-1{', 1' * (rank - 2)}])"
    return f"paddle.where({x} > 0, {x}, {weight} * {atom(x)})"
