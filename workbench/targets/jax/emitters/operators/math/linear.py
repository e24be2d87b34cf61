"""Products of matrices. Weights keep torch's layout [out, in], so that names and files agree."""

from __future__ import annotations

import torch

from workbench.lower.writing.call import Call, atom
from workbench.lower.writing.emitters import Write
from workbench.targets.jax.emitters.registry import emits, writes

writes(
    {
        "vdot": "jnp.vdot({self}, {other})",
        "outer ger": "jnp.outer({self:out}, {vec2:out})",
        "trace": "jnp.trace({self:out})",
        "linalg_cross": "jnp.cross({self:out}, {other:out}, axis={dim!s})",
    }
)


def _product(call: Call, a: str, b: str) -> str:
    return f"{atom(call.tensor(a))} @ {atom(call.tensor(b))}"


@emits("linear")
def _linear(call: Call) -> str:
    turned = ".T" if call.rank("weight") == 2 else ""
    product = f"{_product(call, 'input', 'weight')}{turned}"
    return f"{product} + {atom(call.tensor('bias'))}" if call.has("bias") else product


def _of(a: str, b: str) -> Write:
    return lambda call: _product(call, a, b)


emits("mm", "bmm")(_of("self", "mat2"))
emits("matmul")(_of("self", "other"))
emits("mv")(_of("self", "vec"))
emits("dot")(_of("self", "tensor"))


def _added(call: Call, a: str, b: str) -> str:
    product = _product(call, a, b)
    return _scaled(call, product if call["alpha"] == 1 else f"({product})")


def _scaled(call: Call, product: str) -> str:
    """Return the sum of `beta` times `self` and `alpha` times a product."""
    beta, alpha = call["beta"], call["alpha"]
    if call.dtype is torch.bool:
        both = product if alpha else "False"
        return f"({atom(call.tensor('self'))} | {atom(both)})" if beta else both
    if not call.dtype.is_floating_point and not call.dtype.is_complex:
        beta, alpha = int(beta), int(alpha)
    scaled = product if alpha == 1 else f"{call.write(alpha)} * {product}"
    if beta == 0:
        # torch ignores the addend in this case, even NaN.
        return f"jnp.broadcast_to({scaled}, {call.write(list(call.out.shape))})"
    held = atom(call.tensor("self", call.dtype))
    return f"{held} + {scaled}" if beta == 1 else f"{call.write(beta)} * {held} + {scaled}"


emits("addmm")(lambda call: _added(call, "mat1", "mat2"))
emits("baddbmm")(lambda call: _added(call, "batch1", "batch2"))
emits("addmv")(lambda call: _added(call, "mat", "vec"))


@emits("addbmm")
def _addbmm(call: Call) -> str:
    return _scaled(call, f"jnp.sum({_product(call, 'batch1', 'batch2')}, axis=0)")


@emits("addr")
def _addr(call: Call) -> str:
    vectors = f"{call.tensor('vec1', call.dtype)}, {call.tensor('vec2', call.dtype)}"
    return _scaled(call, f"jnp.outer({vectors})")


@emits("einsum")
def _einsum(call: Call) -> str:
    equation = call["equation"].replace(" ", "")
    operands = ", ".join(call.tensors("tensors"))
    return f"jnp.einsum({equation!r}, {operands})"


@emits("linalg_vector_norm")
def _vector_norm(call: Call) -> str:
    dims, keep = call["dim"], ", keepdims=True" if call["keepdim"] else ""
    axes = tuple(dims) if dims and call.rank("self") else tuple(range(call.rank("self")))
    x = call.tensor("self", call.dtype if not call.meta("self").is_complex() else None)
    return f"{call.helper('_vector_norm')}({x}, {call.text('ord')}, {axes}{keep})"


@emits("_euclidean_dist", "cdist", "_cdist_forward")
def _cdist(call: Call) -> str:
    p = call["p"] if "p" in call.arguments else 2.0
    order = "" if p == 2 else f", {call.write(float(p))}"
    return f"{call.helper('_cdist')}({call.tensor('x1')}, {call.tensor('x2')}{order})"


@emits("_trilinear")
def _trilinear(call: Call) -> str:
    """Return the computation of `torch.nn.Bilinear`."""
    names = (("i1", "expand1"), ("i2", "expand2"), ("i3", "expand3"))
    parts = [f"jnp.expand_dims({call.tensor(x)}, {tuple(call[at])})" for x, at in names]
    return f"jnp.sum({' * '.join(parts)}, axis={tuple(call['sumdim'])})"
