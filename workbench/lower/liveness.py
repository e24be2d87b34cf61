"""Liveness: which nodes of a graph have an effect and must be written and run."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from torch.fx import Graph, Node

# Assertions on data; others repeat what is known about the inputs' shapes.
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
    """Return whether a node only checks something."""
    return node.op == "call_function" and _name(node.target) in _OF_VALUES | _ABOUT_SHAPES


def asserts_values(node: Node) -> bool:
    """Return whether an assertion has to be kept: it is about data, not about torch's memory."""
    if node.op != "call_function" or _name(node.target) not in _OF_VALUES:
        return False
    condition = node.args[0]
    if not isinstance(condition, torch.fx.Node):
        return True
    return not _is_of_memory(condition) and not _always_holds(condition)


def live(graph: Graph) -> set[Node]:
    """Return the nodes that an output, a kept assertion or the random stream depends on."""
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
    """Return the nodes whose values occur in a node's statement."""
    tensor = asserted_tensor(node)
    return [tensor[0]] if tensor is not None else node.all_input_nodes


def asserted_tensor(node: Node) -> tuple[Node, bool] | None:
    """Return the boolean tensor that an assertion tests and its required value, or None.

    Testing the tensor itself needs no Python number, so the assertion runs compiled.
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
    """Return whether a node converts True to 1 and False to 0."""
    return isinstance(node, torch.fx.Node) and (
        node.target is torch.sym_ite and tuple(node.args[1:]) == (1, 0)
    )


def draws(node: Node) -> bool:
    """Return whether a node draws random numbers.

    torch tags every operator that can: attention and dropout do so for a probability above zero,
    recurrent layers and dropout only in training.
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
    """Return whether a condition is one of export's limits of a data-dependent size."""
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
    """Return how many elements a mask can select at most, if that is the size, else None."""
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
    """Return whether arithmetic on sizes depends on a tensor's position in torch's memory."""
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
