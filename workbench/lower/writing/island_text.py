"""Islands of torch in a generated module: functions of torch calls, connected by DLPack."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import torch
from torch.fx import Node

from workbench.lower.backend import LowerError
from workbench.lower.writing.memory import memory_order

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.lower.partition import Island


_ATEN = torch.ops.aten
# Operators that a capture without gradients uses, and their counterparts with gradients.
_WITH_GRADIENT = {_ATEN._embedding_bag_forward_only.default: _ATEN._embedding_bag.default}
# Its arguments select the gradients to prepare; a capture without gradients selects none.
_GRADIENT_IN_FORWARD = "torch_nn._linear_cross_entropy_batch_chunked.default"


def function(island: Island, title: str) -> list[str]:
    """Return the lines of the island's function, which takes and returns torch tensors.

    `title` is the target's name, for messages.

    Raises:
        LowerError: a node of the island cannot be written as a call.
    """
    parameters = ", ".join(node.name for node in tensor_inputs(island) + number_inputs(island))
    why = "; ".join(f"{name}: {reason}" for name, reason in island.reasons.items())
    lines = [f"def _{island.name}({parameters}):", f"    # Runs in torch. {why}."]
    fixed = [n.name for n in tensor_inputs(island) if _is_fixed(n)]
    # torch refuses gradients of some settings, such as a tolerance.
    lines += [f"    {name} = {name}.detach()" for name in fixed]
    for node in island.nodes:
        lines.append(f"    {node.name} = {_call(node, title)}")
    results = ", ".join(node.name for node in tensor_outputs(island))
    return [*lines, f"    return ({results},)"]


def call(island: Island, variable: Callable[[Node], str]) -> str:
    """Return the expression that runs the island on the target's tensors, a tuple of them."""
    tensors = ", ".join(variable(node) for node in tensor_inputs(island))
    numbers = number_inputs(island)
    body = f"_{island.name}"
    if numbers:
        fixed = ", ".join(f"{n.name}={variable(n)}" for n in numbers)
        body = f"lambda *x: _{island.name}(*x, {fixed})"
    return f"_TorchIsland.apply({body}, {tensors})"


def tensor_inputs(island: Island) -> list[Node]:
    """Return the inputs that are tensors."""
    return [n for n in island.inputs if isinstance(n.meta.get("val"), torch.Tensor)]


def number_inputs(island: Island) -> list[Node]:
    """Return the inputs that are sizes."""
    return [n for n in island.inputs if not isinstance(n.meta.get("val"), torch.Tensor)]


def tensor_outputs(island: Island) -> list[Node]:
    """Return the outputs that are tensors; tuples are unpacked inside the island."""
    return [n for n in island.outputs if isinstance(n.meta.get("val"), torch.Tensor)]


def _call(node: Node, title: str) -> str:
    if node.target is operator.getitem:
        source, index = node.args
        return f"{source}[{index}]"
    if not isinstance(node.target, torch._ops.OpOverload):
        raise LowerError(
            f"{node.name}: {getattr(node.target, '__name__', node.target)} runs neither in {title}"
            " nor as a call in torch; remove it from the model"
        )
    if str(node.target) == _GRADIENT_IN_FORWARD:
        raise LowerError(
            f"{node.name}: the chunked form prepares its gradient in the forward pass, which a"
            " captured graph does not; call linear_cross_entropy without options"
        )
    arguments = [_text(value) for value in node.args]
    if node.target is _ATEN.as_strided.default:
        order = memory_order(node, title)
        turned = f".permute({order})" if order != sorted(order) else ""
        arguments[0] += f"{turned}.contiguous()"  # the target has another memory layout
    arguments += [f"{key}={_text(value)}" for key, value in node.kwargs.items()]
    return f"torch.ops.{_WITH_GRADIENT.get(node.target, node.target)}({', '.join(arguments)})"


def _is_fixed(node: Node) -> bool:
    """Return whether a node depends on no input and no weight."""
    return node.op == "call_function" and all(map(_is_fixed, node.all_input_nodes))


def _text(value: Any) -> str:
    if isinstance(value, Node):
        return value.name
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_text(item) for item in value)}]"
    if isinstance(value, torch.device):
        return f"torch.device({str(value)!r})"
    if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
        return str(value)
    if isinstance(value, float):
        return repr(value) if value == value and abs(value) != float("inf") else f'float("{value}")'
    return repr(value)
