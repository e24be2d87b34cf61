"""Estimates of a node's cost: floating-point operations and bytes moved."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from workbench.streams.recurrent import KINDS

if TYPE_CHECKING:
    from collections.abc import Sequence

Shape = tuple[int, ...]

# Ops that return the same storage, or only read its metadata.
_FREE = {
    *("view", "reshape", "permute", "transpose", "t", "squeeze", "unsqueeze", "expand", "alias"),
    *("detach", "slice", "select", "split", "split_with_sizes", "chunk", "unbind", "getitem"),
    *("sym_size", "as_strided", "_unsafe_view", "unfold", "diagonal", "view_as_real"),
    *("_assert_scalar", "_assert_tensor_metadata", "sym_constrain_range_for_size"),
}

_CONTRACTIONS = {"mm", "bmm", "matmul", "addmm", "baddbmm", "linear", "addbmm", "mv", "dot"}


def flops(op: str, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> int:
    """Return the estimated operations of one call; a multiplication and an addition count as two.

    `op` is the ATen name without its overload (`conv2d`); `inputs` are the shapes of its tensors in
    the order of its signature. Elementwise ops count one per output element, reductions one per
    input element, views none.
    """
    if op in _FREE or not outputs:
        return 0
    out = prod(outputs[0])
    if op in _CONTRACTIONS:
        left = inputs[1] if op in {"addmm", "baddbmm", "addbmm"} else inputs[0]
        return 2 * out * (left[-1] if left else 1)
    if op.startswith(("conv", "_convolution")) and len(inputs) > 1:
        weight = inputs[1]
        spread = prod(inputs[0]) if "transpose" in op else out
        # weight is [out, in/groups, *kernel]; transposed, [in, out/groups, *kernel].
        return 2 * spread * prod(weight[1:])
    if op in KINDS:
        matrices = (shape for shape in inputs[1:] if len(shape) == 2)
        return 2 * prod(inputs[0][:-1]) * sum(map(prod, matrices))
    if "scaled_dot_product" in op and len(inputs) > 1:
        query, key = inputs[0], inputs[1]
        return 2 * out * key[-2] + 2 * prod(query) * key[-2]
    return max(out, max((prod(shape) for shape in inputs), default=0)) if _reduces(op) else out


def moved(op: str, inputs: int, outputs: int) -> int:
    """Return the bytes read and written, given those of all inputs and outputs; views move none."""
    return 0 if op in _FREE else inputs + outputs


def _reduces(op: str) -> bool:
    return op.startswith(("sum", "mean", "max", "min", "amax", "amin", "prod", "var", "std", "arg"))
