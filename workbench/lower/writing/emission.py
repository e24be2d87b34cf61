"""Conversion of one node of a graph to one expression, or to a reason why there is none."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch.fx import GraphModule, Node
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

from workbench.capture.stand_ins.own_backward import own_backward
from workbench.lower.backend import Unsupported
from workbench.lower.liveness import asserted_tensor, draws, is_assertion
from workbench.lower.writing import control
from workbench.lower.writing.call import Call, items
from workbench.lower.writing.size_arithmetic import python_expression

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.lower.writing.dialect import Dialect


@dataclass(frozen=True)
class Emitted:
    """The result for a node: an expression, the helpers that it calls, and caveats."""

    expression: str
    helpers: frozenset[str] = frozenset()
    caveats: tuple[str, ...] = ()


def assertion(node: Node, name: Callable[[Node], str], dialect: Dialect) -> Emitted:
    """Return the statement of a node that asserts a condition on values."""
    condition, message = node.args[:2]
    text = str(message)
    if not isinstance(condition, Node):
        return Emitted(f"_expect_true({condition!r}, {text!r})", frozenset({"_expect_true"}))
    if text.startswith("Runtime assertion failed"):
        # torch's message names its own symbols; the condition's expression is more readable.
        try:
            text = f"the model checks that {emit(condition, name, dialect).expression}"
        except Unsupported:
            text = "a check of the model does not hold"
    tensor = asserted_tensor(node)
    value = f"{'' if tensor[1] else '~'}{name(tensor[0])}" if tensor else name(condition)
    return Emitted(f"_expect_true({value}, {text!r})", frozenset({"_expect_true"}))


def operator_name(target: Any) -> str:
    """Return the name under which an operator's emitter is registered."""
    if isinstance(target, torch._ops.OpOverload):
        name = str(target).removesuffix(".default")
        namespace, _, rest = name.partition(".")
        return rest if namespace == "aten" else f"{namespace}::{rest}"
    return str(getattr(target, "__name__", target))


def unsupported(node: Node, dialect: Dialect) -> str | None:
    """Return why a target cannot compute a node exactly, or None if it can."""
    if is_assertion(node):
        return None
    try:
        emit(node, lambda n: n.name, dialect)
    except Unsupported as error:
        return str(error)
    return None


def emit(node: Node, name: Callable[[Node], str], dialect: Dialect) -> Emitted:
    """Return the expression of a `call_function` node.

    Raises:
        Unsupported: the target cannot compute it exactly; the reason is for the user.
    """
    _check_dtypes(node, dialect)
    if isinstance(node.target, torch._ops.HigherOrderOperator):
        return _controlled(node, name, dialect)
    if node.target is operator.getitem:
        source, index = node.args
        return Emitted(f"{name(source)}[{index}]")  # type: ignore[arg-type]
    call = Call(node, name, dialect)
    python = python_expression(call)
    if python is not None:
        return Emitted(python)
    emitter = dialect.emitters.table().get(operator_name(node.target))
    if emitter is None:
        raise Unsupported("no emitter for this operator")
    call.native = emitter.native
    try:
        expression = call.narrowed(emitter.write(call))
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise Unsupported(
            f"a form of the operator that its emitter does not know ({error!r})"
        ) from error
    except GuardOnDataDependentSymNode as error:
        raise Unsupported("its form depends on a size that is known only from the data") from error
    _check_items(node, items(expression))
    return Emitted(expression, frozenset(call.helpers), tuple(call.caveats))


def _check_items(node: Node, written: list[str]) -> None:
    """Refuse a tuple if an item is used that its emitter leaves out."""
    for user in node.users:
        index = user.args[1] if user.target is operator.getitem else None
        if isinstance(index, int) and index < len(written) and written[index] == "None":
            raise Unsupported(f"its result {index}, which is used, has no counterpart")


def _controlled(node: Node, name: Callable[[Node], str], dialect: Dialect) -> Emitted:
    """Return control flow, whose branches and bodies have to convert entirely."""
    holders = [a for a in node.args if isinstance(a, Node) and a.op == "get_attr"]
    for holder in holders:
        owner = node.graph.owning_module
        inner = getattr(owner, str(holder.target), None)
        if not isinstance(inner, GraphModule):
            raise Unsupported("its body is not a graph")
        for part in inner.graph.nodes:
            if part.op == "get_attr" and not isinstance(
                getattr(inner, str(part.target), None), GraphModule
            ):
                raise Unsupported("its body contains a constant")
            if node.target is own_backward and draws(part):
                raise Unsupported("its backward pass draws random numbers")
            if part.op == "call_function" and not is_assertion(part):
                try:
                    emit(part, lambda n: n.name, dialect)
                except Unsupported as error:
                    raise Unsupported(f"its body contains {part.name}: {error}") from error
    expression, helpers = control.write(node, name, dialect)
    return Emitted(expression, frozenset(helpers))


def _check_dtypes(node: Node, dialect: Dialect) -> None:
    """Refuse dtypes that the target does not have."""
    for item in (node, *node.all_input_nodes):
        value = item.meta.get("val")
        for tensor in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(tensor, torch.Tensor):
                dialect.dtype_name(tensor.dtype)
