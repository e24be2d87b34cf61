"""States of tensors that only torch has: inference tensors, lazy conjugates, retained gradients.

Other frameworks lack these states, so code that queries them is reported.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Final

from workbench.source.types import dtypes
from workbench.source.types.dtype_tables import FACTORIES
from workbench.source.types.lattice import (
    HOT,
    RECORDED,
    UNKNOWN,
    UNSURE,
    Items,
    Plain,
    Tensor,
    Value,
)
from workbench.source.types.views import is_view
from workbench.source.uses import Use
from workbench.words import words

INFERENCE: Final = "inference"
CONJUGATE: Final = "conjugate"
RETAINING: Final = "retaining"
SPARSE: Final = "sparse"
FOUND: Final = "found"  # indices of a search, which may be empty
_FINDERS: Final = frozenset({"nonzero", "argwhere", "flatnonzero", "where"})
_CONJUGATES: Final = frozenset(
    {"torch.conj", "torch.Tensor.conj", "torch.adjoint", "torch.Tensor.adjoint"}
)
_TO_SPARSE: Final = frozenset(
    {
        "coalesce",
        "sparse_coo_tensor",
        "sparse_csr_tensor",
        "to_sparse",
        "to_sparse_coo",
        "to_sparse_csr",
    }
)
_OF_SPARSE: Final = frozenset(
    {"t", "transpose", "detach", "clone", "to", "cpu", "cuda", "float", "double"}
)
_CUT: Final = frozenset({"detach", "detach_", "new_zeros", "new_ones", "new_full", "new_tensor"})
_MADE: Final = FACTORIES | set(
    words(
        "full arange range randint randperm tensor as_tensor from_numpy asarray load hann_window "
        "hamming_window bartlett_window"
    )
)
# Methods that may return their receiver, or a view of it.
_SAME: Final = frozenset(
    words(
        "detach to cpu cuda type float double half bfloat16 long int short char byte bool "
        "contiguous data split chunk unbind"
    )
)


def enters_inference(use: Use | None) -> bool:
    """Return whether it is `torch.inference_mode`, not switched off."""
    if use is None or use.name != "torch.inference_mode":
        return False
    given = [*use.arguments, *(one.value for one in use.call.keywords)] if use.call else []
    return not any(isinstance(one, ast.Constant) and one.value is False for one in given)


def inferred(value: Value, node: ast.expr) -> Value:
    """Return the value of an expression within inference mode, which creates inference tensors."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func.attr
        if name in _SAME or name.endswith("_") or is_view(f"torch.Tensor.{name}"):
            return value
    return for_inference(value) if isinstance(node, ast.Call | ast.BinOp | ast.UnaryOp) else value


def for_inference(value: Value) -> Value:
    """Return the value as one that was created in inference mode."""
    if isinstance(value, Tensor):
        return replace(value, states=value.states | {INFERENCE})
    if isinstance(value, Items):
        items = value.items and tuple(map(for_inference, value.items))
        return Items(value.kind, for_inference(value.item), items)
    return value


def conjugated(result: Tensor, use: Use) -> Tensor:
    """Return a call's result with its conjugate state; it may be a conjugate, or a view of one."""
    values = [use.receiver_value] if use.receiver is not None else use.values[:1]
    of = values[0] if values else None
    if not isinstance(of, Tensor):
        return result
    if use.name in _CONJUGATES and (of.dtype or "").startswith("complex"):
        return replace(result, states=result.states | ({CONJUGATE} ^ (of.states & {CONJUGATE})))
    kept = of.states & {CONJUGATE, FOUND, HOT} if is_view(use.name) else frozenset()
    return replace(result, states=result.states | kept)


def hot(result: Tensor, use: Use) -> Tensor:
    """Return a call's result, marked as one-hot codes if it makes them."""
    if use.name != "torch.nn.functional.one_hot":
        return result
    return replace(result, states=result.states | {HOT})


def found(result: Value, use: Use) -> Value:
    """Return a call's result, marked as indices of a search if the call searches."""
    short = use.name.rpartition(".")[2]
    if short not in _FINDERS or (short == "where" and len(use.values) + len(use.keywords) != 1):
        return result
    if isinstance(result, Tensor):
        return replace(result, dtype="int64", states=result.states | {FOUND})
    if isinstance(result, Items):
        items = result.items and tuple(found(item, use) for item in result.items)
        return Items(result.kind, found(result.item, use), items)
    return result


def sparse(result: Tensor, use: Use) -> Tensor:
    """Return a call's result, marked as sparse if the call makes or keeps it so."""
    short = use.name.rpartition(".")[2]
    of = use.receiver_value
    kept = short in _OF_SPARSE and isinstance(of, Tensor) and SPARSE in of.states
    if short in _TO_SPARSE or kept:
        return replace(result, states=result.states | {SPARSE})
    return result


def sparse_operation(result: Value, operands: tuple[Value, Value]) -> Value:
    """Return an operator's result, marked as sparse if its operands are sparse, or numbers."""
    of_sparse = [isinstance(one, Tensor) and SPARSE in one.states for one in operands]
    kept = all(
        is_one or isinstance(value, Plain)
        for is_one, value in zip(of_sparse, operands, strict=True)
    )
    if isinstance(result, Tensor) and any(of_sparse) and kept:
        return replace(result, states=result.states | {SPARSE})
    return result


def recorded(result: Tensor, use: Use) -> Tensor:
    """Return a call's result, which requires a gradient if its input does or may."""
    values = [use.receiver_value] if use.receiver is not None else use.values[:1]
    of = values[0] if values else None
    short = use.name.rpartition(".")[2]
    kind = dtypes.kind(result.dtype)
    if short in _CUT or use.name.endswith("_like") or of is None:
        return result
    if kind in {0, 1}:
        return result
    held = isinstance(of, Tensor) and (of.recorded or UNSURE in of.states)
    if kind is not None and isinstance(of, Tensor) and of.recorded:
        return replace(result, states=result.states | {RECORDED})
    if held or (of is UNKNOWN and short not in _MADE):
        return replace(result, states=result.states | {UNSURE})
    return result


def gradient_setting(node: ast.stmt) -> tuple[str, bool] | None:
    """Return the variable whose `requires_grad` a statement sets, and the value, or None.

    `x.requires_grad_()`, `x.requires_grad = False`.
    """
    if isinstance(node, ast.Assign):
        (on, *others), value = node.targets, node.value
        if others or not isinstance(on, ast.Attribute) or on.attr != "requires_grad":
            return None
        answer: ast.expr | None = value
        holder = on.value
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        called = node.value.func
        if not isinstance(called, ast.Attribute) or called.attr != "requires_grad_":
            return None
        given = [*node.value.args, *(one.value for one in node.value.keywords)]
        answer, holder = next(iter(given), ast.Constant(True)), called.value
    else:
        return None
    if not isinstance(holder, ast.Name) or not isinstance(answer, ast.Constant):
        return None
    return (holder.id, answer.value) if isinstance(answer.value, bool) else None


def retaining(node: ast.expr) -> str | None:
    """Return the name of the variable that `retain_grad` is called on, or None."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    on = node.func.value
    return on.id if node.func.attr == "retain_grad" and isinstance(on, ast.Name) else None
