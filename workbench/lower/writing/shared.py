"""Emitters of operators that every target writes alike."""

from __future__ import annotations

import torch

from workbench.lower.writing.call import Call, atom
from workbench.lower.writing.emitters import Emitters

SHARED = Emitters()
emits = SHARED.emits

SHARED.writes({"sym_size.int": "{self}.shape[{dim}]", "sym_numel": "{self}.size"}, native=True)
SHARED.writes({"neg": "-{self!a}"})
_SIGNS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def pair(call: Call) -> tuple[str, str]:
    """Return both operands in the dtype of the result."""
    return atom(call.operand("self", call.dtype)), atom(call.operand("other", call.dtype))


@emits("div.Tensor", "div.Scalar", "true_divide.Tensor")
def div(call: Call) -> str:
    """Return a division."""
    a, b = pair(call)
    return f"{a} / {b}"


@emits("lerp.Scalar", "lerp.Tensor")
def _lerp(call: Call) -> str:
    a, b = atom(call.tensor("self")), atom(call.tensor("end"))
    return f"{call.helper('_lerp')}({a}, {b}, {call.operand('weight', call.dtype)})"


def _added(sign: str) -> None:
    @emits("addcmul" if sign == "*" else "addcdiv")
    def write(call: Call) -> str:
        a, b = (atom(call.tensor(n, call.dtype)) for n in ("tensor1", "tensor2"))
        scale = "" if call["value"] == 1 else f"{call.text('value')} * "
        return f"{atom(call.tensor('self', call.dtype))} + {scale}{a} {sign} {b}"


for _sign in "*/":
    _added(_sign)


def common_dtype(call: Call) -> torch.dtype:
    """Return the dtype in which torch compares two operands."""
    operands = [call.meta(n) if call.is_tensor(n) else call[n] for n in ("self", "other")]
    if not all(isinstance(o, (torch.Tensor, int, float, complex)) for o in operands):
        return call.meta("self").dtype
    dtype: torch.dtype = torch.result_type(*operands)
    return dtype


def _comparing(name: str, sign: str) -> None:
    @emits(f"{name}.Tensor", f"{name}.Scalar")
    def write(call: Call) -> str:
        dtype = common_dtype(call)
        a, b = atom(call.operand("self", dtype)), atom(call.operand("other", dtype))
        return f"{a} {sign} {b}"


for _name, _sign in _SIGNS.items():
    _comparing(_name, _sign)


@emits("slice.Tensor", native=True)
def _slice(call: Call) -> str:
    axis = call.axis("dim")
    start, end, step = call["start"], call["end"], call["step"]
    low = "" if start in (None, 0) else call.write(start)
    high = "" if end is None or (isinstance(end, int) and end >= 2**62) else call.write(end)
    stride = "" if step in (None, 1) else f":{call.write(step)}"
    x = call.tensor("self")
    if not (low or high or stride):
        return x
    return f"{atom(x)}[{':, ' * axis}{low}:{high}{stride}]"


@emits("select.int", native=True)
def _select(call: Call) -> str:
    return f"{atom(call.tensor('self'))}[{':, ' * call.axis('dim')}{call.text('index')}]"


@emits("narrow", native=True)
def _narrow(call: Call) -> str:
    start, length = call.text("start"), call.text("length")
    return f"{atom(call.tensor('self'))}[{':, ' * call.axis('dim')}{start}:{start} + {length}]"


@emits("_grouped_mm", "transformers::grouped_mm_fallback")
def _grouped(call: Call) -> str:
    x, weights = ("self", "mat2") if call.has("mat2") else ("input", "weight")
    if not call.has("offs") or (call.rank(x), call.rank(weights)) != (2, 3) or call.has("bias"):
        call.refuse("groups of anything but the rows of a matrix")
    product = f"{call.helper('_grouped_matmul')}({call.tensor(x)}, {call.tensor(weights)}"
    return f"{product}, {call.tensor('offs')})"


def number(call: Call, name: str) -> str:
    """Return a scale or a zero point of a whole tensor."""
    return atom(call.operand(name, torch.float32))


@emits(
    "quantized_decomposed::dequantize_per_tensor",
    "quantized_decomposed::dequantize_per_tensor.tensor",
    "quantized_decomposed::dequantize_per_tensor.tensor2",
)
def _dequantize(call: Call) -> str:
    x = call.tensor("input", torch.float32)
    return f"({atom(x)} - {number(call, 'zero_point')}) * {number(call, 'scale')}"
