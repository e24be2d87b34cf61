"""Assignments, plain, annotated and augmented."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

from workbench.findings import Certainty
from workbench.source.inference.annotations import annotation
from workbench.source.inference.context import Context
from workbench.source.inference.evidence import parameters, tensor_states
from workbench.source.inference.expressions.binding import bind
from workbench.source.inference.expressions.indexing import note_placing
from workbench.source.inference.expressions.names import resolve
from workbench.source.inference.expressions.numbers import note_place
from workbench.source.inference.functions import function_walked
from workbench.source.ownership import (
    RESULT_NEEDED,
    is_read_later,
    loop_over,
    makers,
    makers_of_written,
    may_be_shared,
    other_reference,
)
from workbench.source.tree import inside, within
from workbench.source.types import dtypes
from workbench.source.types.lattice import UNKNOWN, Instance, Items, Plain, Table, Tensor, Value
from workbench.source.types.views import has_gaps, with_gaps
from workbench.source.uses import OpenOperator, UnknownChange, Use, UseKind

# The container of layers whose `+=` a target may lack.
_GROWS = "torch.nn.Sequential"
# The in-place method of an augmented assignment to a tensor; an item is assigned instead.
_IN_PLACE: dict[type[ast.operator], str] = {
    ast.Add: "__iadd__",
    ast.Sub: "__isub__",
    ast.Mult: "__imul__",
    ast.Div: "__itruediv__",
    ast.FloorDiv: "__ifloordiv__",
    ast.Mod: "__imod__",
    ast.Pow: "__ipow__",
    ast.BitAnd: "__iand__",
    ast.BitOr: "__ior__",
    ast.BitXor: "__ixor__",
    ast.LShift: "__ilshift__",
    ast.RShift: "__irshift__",
}

_ARRAYS = frozenset({"numpy", "cupy"})
_ARITHMETIC = frozenset({"__iadd__", "__isub__", "__imul__", "__itruediv__"})


def assign(context: Context, node: ast.Assign) -> None:
    value = context.eval(node.value)
    if context.inferring and isinstance(node.value, ast.BinOp | ast.UnaryOp):
        value = tensor_states.inferred(value, node.value)
    if has_gaps(node.value, context.scope):
        value = with_gaps(value)
    for target in node.targets:
        bind(context, target, value)
    if len(node.targets) == 1:
        _note_makers(context, node, node.targets[0])
    note_asking(context, node)


def annotated(context: Context, node: ast.AnnAssign) -> None:
    declared = annotation(context, node.annotation)
    name = getattr(node.annotation, "attr", getattr(node.annotation, "id", ""))
    if name == "TypeAlias" and isinstance(node.value, ast.Constant):
        annotation(context, node.value)
    value = context.eval(node.value) if node.value else UNKNOWN
    bind(context, node.target, declared if value is UNKNOWN else value)


def augmented(context: Context, node: ast.AugAssign) -> None:
    target = node.target
    old = resolve(context, target) if isinstance(target, ast.Name) else context.eval(target)
    old = _weight_of_a_layer(context, target) if old is UNKNOWN else old
    old = _entry(context, node, target) if old is UNKNOWN else old
    placed = isinstance(target, ast.Subscript)
    if isinstance(target, ast.Subscript):
        holder = context.eval(target.value)
        at = context.eval(target.slice)
        note_place(context, target, holder, at)
        note_placing(context, target, holder, at, old)
        # Items of a list or a mapping change in place, like the value of a name.
        placed = not isinstance(holder, Items | Table) or any(
            isinstance(part, ast.Call) for part in inside(target)
        )
    right = context.eval(node.value)
    old = _given(context, node, right) if old is UNKNOWN else old
    value = context.members.binary(old, right, isinstance(node.op, ast.Div))
    if isinstance(old, Tensor):
        value = old  # it changes in place, and keeps its dtype
    if isinstance(target, ast.Name):
        context.scope.bind(target.id, value)
    _note_makers(context, node, target)
    method = _IN_PLACE.get(type(node.op))
    if method and isinstance(old, Tensor) and not placed:
        use = context.use(
            f"torch.Tensor.{method}", UseKind.AUGMENTED, node, old.certainty, target, old
        )
        use.owner, use.values = "torch.Tensor", [right]
        if isinstance(target, ast.Name):
            use.makers = makers_of(context, node, target.id)
        context.keep(use)
    elif method == "__iadd__" and isinstance(old, Instance) and old.cls == _GROWS:
        use = context.use(f"{_GROWS}.{method}", UseKind.AUGMENTED, node, old.certainty, target, old)
        use.owner, use.values = _GROWS, [right]
        context.keep(use)
        bind(context, target, old)
    context.found.open_operators.pop(id(node), None)  # an earlier walk may have known less
    if method in _ARITHMETIC and _is_open(old, right, placed):
        context.found.open_operators[id(node)] = OpenOperator(node)
    context.found.unknown_changes.pop(id(node), None)  # an earlier walk may have known less
    text = isinstance(right, Plain) and right.kind == "str"
    if method and old is UNKNOWN and isinstance(target, ast.Name) and not text:
        change = _unknown_change(context, node, target.id)
        if change is not None:
            context.found.unknown_changes[id(node)] = change


def _given(context: Context, node: ast.AugAssign, right: Value) -> Value:
    """Return a tensor for an argument or a loop's variable that nothing reads after it is changed.

    A number would be changed in vain. So may an array, in a program that imports NumPy.
    """
    if not isinstance(node.target, ast.Name) or isinstance(node.value, ast.Constant):
        return UNKNOWN
    change = _unknown_change(context, node, node.target.id)
    if change is None or not change.unread:
        return UNKNOWN
    if isinstance(right, Tensor) or not parameters.imports_any(context.program, _ARRAYS):
        return Tensor(Certainty.ASSUMED, dtypes.FLOATING)
    return UNKNOWN


def _unknown_change(context: Context, node: ast.AugAssign, name: str) -> UnknownChange | None:
    """Return the change of an unknown value that something else refers to, or None."""
    around = _around(context)
    held = other_reference(around, node, name)
    if held is not None:
        unread = held is node.target and not is_read_later(around.body, node, name)
        return UnknownChange(node, held, unread=unread)
    loop = loop_over(around, node, name)
    if loop is None:
        return None
    unread = not is_read_later(loop.body, node, name)
    if not unread and not may_be_shared(loop, around.body):
        return None
    return UnknownChange(node, loop.iter, of_elements=True, unread=unread)


def _is_open(old: Value, right: Value, placed: bool) -> bool:
    """Return whether integers or truth values change what may be floats, which no use records.

    `x[:, 1:] += steps`, `self.total += found` of an unknown attribute.
    """
    whole = isinstance(right, Tensor) and dtypes.kind(right.dtype) in {0, 1} and not right.scalar
    if isinstance(old, Tensor):
        return whole and placed and dtypes.kind(old.dtype) in {2, None}
    return whole and old is UNKNOWN


def _weight_of_a_layer(context: Context, target: ast.expr) -> Value:
    """Return the weight or bias of a layer of unknown class: `net[0].weight`."""
    if not isinstance(target, ast.Attribute) or target.attr not in ("weight", "bias"):
        return UNKNOWN
    layer = isinstance(context.eval(target.value), Instance)
    return Tensor(Certainty.ASSUMED, dtypes.FLOATING) if layer else UNKNOWN


def _entry(context: Context, node: ast.AugAssign, target: ast.expr) -> Value:
    """Return a tensor that the function stores in an entry: `row` for `row = state["row"]`."""
    around = _around(context)
    held = other_reference(around, node, target.id) if isinstance(target, ast.Name) else None
    if not isinstance(held, ast.Subscript) or not isinstance(held.slice, ast.Constant):
        return UNKNOWN
    wanted = ast.dump(held.slice)
    for part in (part for one in around.body for part in (one, *within(one))):
        match part:
            case ast.Assign(targets=[ast.Subscript(slice=key)], value=made) if ast.dump(
                key
            ) == wanted and _makes_tensor(made, context.found.uses):
                return Tensor(Certainty.ASSUMED, dtypes.FLOATING)
    return UNKNOWN


def _makes_tensor(node: ast.expr, uses: Mapping[int, Use]) -> bool:
    """Return whether an expression is a torch call that creates a tensor: `torch.zeros(3)`."""
    use = uses.get(id(node))
    return use is not None and use.name.rpartition(".")[2] in _CREATING


_CREATING = frozenset(
    {"zeros", "ones", "full", "empty", "tensor", "eye", "zeros_like", "ones_like", "full_like"}
    | {"empty_like", "clone", "new_zeros", "new_ones", "new_full", "rand_like", "randn_like"}
)


def note_asking(context: Context, node: ast.stmt) -> None:
    """Record that a variable requires gradients from this statement on."""
    required = tensor_states.gradient_setting(node)
    value = context.scope.lookup(required[0]) if required is not None else UNKNOWN
    if required is not None and isinstance(value, Tensor):
        context.scope.bind(required[0], replace(value, grad=required[1]))


def _note_makers(context: Context, node: ast.Assign | ast.AugAssign, target: ast.expr) -> None:
    """Record a write to a part of a result that gradients may need: `y = a / b; y[0] = 1`."""
    if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
        return
    found = context.found
    use = found.writes.get(id(target)) or found.uses.get(id(target))
    if use is None:
        return
    body = _around(context).body
    made = makers_of_written(body, node, target.value.id, found.uses, context.of_target)
    if made & RESULT_NEEDED:
        use.makers = made
        found.writes.pop(id(target), None)
        context.keep(use)


def makers_of(context: Context, statement: ast.stmt, name: str) -> frozenset[str]:
    """Return the calls that may have created a tensor which a statement changes.

    Empty if more than one variable may hold it.
    """
    body = _around(context).body

    def layer_of(node: ast.expr) -> str:
        kept, context.found.uses = context.found.uses, {}
        try:
            value = context.eval(node)
        finally:
            context.found.uses = kept
        return value.cls if isinstance(value, Instance) else ""

    return makers(body, statement, name, context.found.uses, context.of_target, layer_of)


def _around(context: Context) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Module:
    """Return the function that is being walked, or the program."""
    return function_walked(context) or context.program
