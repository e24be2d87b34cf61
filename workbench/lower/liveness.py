"""Which nodes of a graph have an effect: the rest need be neither written nor run."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from torch.fx import Graph, Node

# Assertions that only the data decides; others repeat what is known of the inputs' shapes.
_OF_VALUES = frozenset({"_assert_scalar", "_assert_async", "_functional_assert_async"})
_ABOUT_SHAPES = frozenset(
    {
        "_assert_tensor_metadata",
        "sym_constrain_range",
        "sym_constrain_range_for_size",
        "_functional_sym_constrain_range",
    }
)


def is_assertion(node: Node) -> bool:
    """True for a node that checks something and computes nothing."""
    return node.op == "call_function" and _name(node.target) in _OF_VALUES | _ABOUT_SHAPES


def asserts_values(node: Node) -> bool:
    """True for an assertion that has to be kept: one of the data, and not of torch's memory."""
    if node.op != "call_function" or _name(node.target) not in _OF_VALUES:
        return False
    condition = node.args[0]
    if not isinstance(condition, torch.fx.Node):
        return True
    return not _is_of_memory(condition) and not _always_holds(condition)


def live(graph: Graph) -> set[Node]:
    """The nodes that an output, a kept assertion or the random stream depends on."""
    found: set[Node] = set()
    needed: set[Node] = set()
    for node in reversed(graph.nodes):
        kept = node.op in ("output", "placeholder") or node in needed
        if node.op == "call_function" and not kept:
            kept = asserts_values(node) or draws(node)
        if kept and not (is_assertion(node) and not asserts_values(node)):
            found.add(node)
            needed.update(reads(node))
    return found


def reads(node: Node) -> list[Node]:
    """The nodes whose values a node's statement is written with."""
    tensor = asserted_tensor(node)
    return [tensor[0]] if tensor is not None else node.all_input_nodes


def asserted_tensor(node: Node) -> tuple[Node, bool] | None:
    """The truth value that an assertion is about, as a tensor, and which one it has to be.

    An assertion of the tensor itself needs no number of Python's, and so runs compiled.
    """
    if not is_assertion(node):
        return None
    condition: Any = node.args[0]
    wanted = True
    while isinstance(condition, torch.fx.Node):
        source = condition.args[0] if condition.args else None
        if condition.target is torch.sym_not:
            wanted, condition = not wanted, source
        elif condition.target is operator.eq and condition.args[1] == 1 and _is_choice(source):
            condition = source.args[0]  # type: ignore[union-attr]
        elif _name(condition.target) in ("item", "_local_scalar_dense"):
            is_truth = source.meta["val"].dtype is torch.bool  # type: ignore[union-attr]
            return (source, wanted) if is_truth else None  # type: ignore[return-value]
        else:
            return None
    return None


def _is_choice(node: Any) -> bool:
    """True for what makes 1 of a truth value, and 0 of an untruth."""
    return isinstance(node, torch.fx.Node) and (
        node.target is torch.sym_ite and tuple(node.args[1:]) == (1, 0)
    )


def draws(node: Node) -> bool:
    """True for a node that takes numbers from the random stream.

    torch marks every operator that can: attention and dropout do so with a probability above zero,
    recurrent layers and dropout in training alone.
    """
    if torch.Tag.nondeterministic_seeded not in getattr(node.target, "tags", ()):
        return False
    schema = getattr(node.target, "_schema", None)
    given = {a.name: a.default_value for a in schema.arguments} if schema is not None else {}
    given |= dict(zip(given, node.args, strict=False)) | node.kwargs
    switches = [given[name] for name in ("train", "training") if name in given]
    if False in switches:
        return False
    shares = [given[name] for name in ("dropout_p", "dropout") if name in given]
    if switches and "p" in given:
        shares.append(given["p"])
    return not shares or any(share != 0 for share in shares)


def _always_holds(condition: Node) -> bool:
    """True for what export says of every size that the data decides: its limits."""
    if condition.target not in (operator.ge, operator.le):
        return False
    size, limit = condition.args
    if not isinstance(size, torch.fx.Node) or _name(size.target) != "sym_size":
        return False
    if not isinstance(limit, int):
        return False
    if condition.target is operator.ge:
        return limit == 0
    most = _most_places(size)
    return most is not None and limit >= most


def _most_places(size: Node) -> int | None:
    """How many places a mask can pick at most, where that is the size; None where it is not."""
    picked, axis = size.args
    if not isinstance(picked, torch.fx.Node) or axis != 0:
        return None
    match _name(picked.target), picked.args:
        case ("index", (_, [torch.fx.Node() as mask])) | ("nonzero", (torch.fx.Node() as mask,)):
            sizes = mask.meta["val"].shape
        case _:
            return None
    return math.prod(sizes) if all(isinstance(size, int) for size in sizes) else None


def _is_of_memory(node: Node) -> bool:
    """True where arithmetic on sizes leads back to where a tensor lies in torch's memory."""
    if node.op != "call_function":
        return False
    if _name(node.target) in ("sym_storage_offset", "sym_stride"):
        return True
    value = node.meta.get("val")
    return not isinstance(value, torch.Tensor) and any(map(_is_of_memory, node.all_input_nodes))


def _name(target: Any) -> str:
    if target is operator.getitem:
        return "getitem"
    packet = getattr(target, "overloadpacket", None)
    return str(getattr(packet or target, "__name__", target))
