"""Products of matrices. Weights keep torch's layout [out, in], so they need no copy."""

from __future__ import annotations

import torch

from workbench.lower.writing.call import Call, atom
from workbench.targets.paddle.emitters.registry import emits


def _product(call: Call, a: str, b: str, *, transpose: bool = False) -> str:
    if not (call.dtype.is_floating_point or call.dtype.is_complex):
        call.refuse("Paddle multiplies only floating-point matrices")
    flip = ", transpose_y=True" if transpose else ""
    ranks = call.rank(a), call.rank(b)
    most = max(ranks) if min(ranks) > 2 else 0
    left, right = (_of_rank(call, name, most) for name in (a, b))
    return f"paddle.matmul({left}, {right}{flip})"


def _of_rank(call: Call, name: str, rank: int) -> str:
    """Return a tensor with `rank` dimensions.

    Paddle has no gradient for a product of batches with three and with four dimensions.
    """
    missing = list(range(rank - call.rank(name)))
    value = call.tensor(name)
    return f"paddle.unsqueeze({value}, axis={missing})" if missing else value


@emits("linear")
def _linear(call: Call) -> str:
    if call.rank("weight") == 1:
        product = f"paddle.matmul({call.tensor('input')}, {call.tensor('weight')})"
    else:
        product = _product(call, "input", "weight", transpose=True)
    return f"{product} + {atom(call.tensor('bias'))}" if call.has("bias") else product


@emits("mm")
def _mm(call: Call) -> str:
    return _product(call, "self", "mat2")


@emits("bmm")
def _bmm(call: Call) -> str:
    return _product(call, "self", "mat2")


@emits("matmul")
def _matmul(call: Call) -> str:
    return _product(call, "self", "other")


@emits("mv")
def _mv(call: Call) -> str:
    return _product(call, "self", "vec")


@emits("dot")
def _dot(call: Call) -> str:
    return _product(call, "self", "tensor")


def _added(call: Call, product: str) -> str:
    held = atom(call.tensor("self"))
    beta, alpha = call["beta"], call["alpha"]
    scaled = product if alpha == 1 else f"{call.text('alpha')} * {product}"
    if beta == 0:
        # torch ignores the addend in this case, even NaN.
        return scaled
    return f"{held} + {scaled}" if beta == 1 else f"{call.text('beta')} * {held} + {scaled}"


@emits("addmm")
def _addmm(call: Call) -> str:
    return _added(call, _product(call, "mat1", "mat2"))


@emits("baddbmm")
def _baddbmm(call: Call) -> str:
    return _added(call, _product(call, "batch1", "batch2"))


@emits("addmv")
def _addmv(call: Call) -> str:
    return _added(call, _product(call, "mat", "vec"))


@emits("einsum")
def _einsum(call: Call) -> str:
    equation = call["equation"]
    if "." in equation and "..." not in equation:
        call.refuse(f"equation {equation!r}")
    operands = ", ".join(call.tensors("tensors"))
    written = _in_lower_case(equation.replace(" ", ""))
    if call.dtype.is_floating_point or call.dtype.is_complex:
        return f"paddle.einsum({written!r}, {operands})"
    inputs, arrow, _ = written.partition("->")
    if not arrow or "." in written or any(len(set(n)) < len(n) for n in inputs.split(",")):
        call.refuse("Paddle contracts only floating-point tensors")
    product = f"{call.helper('_integer_einsum')}({written!r}, {operands})"
    return f"{product}.astype({call.dtype_text()})"


def _in_lower_case(equation: str) -> str:
    """Return the equation in lower case, since Paddle's einsum does not distinguish `A` and `a`."""
    if equation == equation.lower():
        return equation
    inputs, arrow, output = equation.partition("->")
    letters = sorted({letter for letter in equation if letter.isalpha()})
    if not arrow:
        output = "..." if "." in inputs else ""
        output += "".join(letter for letter in letters if inputs.count(letter) == 1)
    small = {ord(letter): chr(ord("a") + place) for place, letter in enumerate(letters)}
    return f"{inputs}->{output}".translate(small)


@emits("outer", "ger")
def _outer(call: Call) -> str:
    other = "vec2"
    return f"paddle.outer({call.tensor('self', call.dtype)}, {call.tensor(other, call.dtype)})"


@emits("linalg_vector_norm")
def _vector_norm(call: Call) -> str:
    order = call["ord"]
    x = call.tensor("self", call.dtype)
    axes = call["dim"] or list(range(call.rank("self")))
    keep = bool(call["keepdim"])
    if order == 2:
        return f"paddle.sqrt(paddle.sum(paddle.square({x}), axis={axes}, keepdim={keep}))"
    if order == 1:
        return f"paddle.sum(paddle.abs({x}), axis={axes}, keepdim={keep})"
    if order in (float("inf"), float("-inf")):
        pick = "amax" if order > 0 else "amin"
        return f"paddle.{pick}(paddle.abs({x}), axis={axes}, keepdim={keep})"
    if order == 0:
        return f"paddle.sum(({x} != 0).astype({call.dtype_text()}), axis={axes}, keepdim={keep})"
    total = f"paddle.sum(paddle.pow(paddle.abs({x}), {order}), axis={axes}, keepdim={keep})"
    return f"paddle.pow({total}, {1 / order})"


@emits("_euclidean_dist", "cdist", "_cdist_forward")
def _cdist(call: Call) -> str:
    p = call["p"] if "p" in call.arguments else 2.0
    names = ("x1", "x2")
    if any(call.meta(n).dtype not in (torch.float32, torch.float64) for n in names):
        call.refuse("cdist of 16-bit floats")
    return f"paddle.cdist({call.tensor('x1')}, {call.tensor('x2')}, p={p})"
