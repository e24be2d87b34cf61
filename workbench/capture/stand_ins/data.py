"""`x.data`, which torch's tracer does not see, as `x.detach()`, which it does.

A write to the data has no gradient and preserves that of the tensor; a functional graph would lose
the latter.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import torch
from torch.export.graph_signature import InputKind
from torch.fx.experimental.proxy_tensor import get_proxy_mode

from workbench.capture.errors import CaptureError
from workbench.capture.provenance import place_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch.export import ExportedProgram
    from torch.fx import Graph
    from torch.fx import Node as FxNode


@contextmanager
def data_detached() -> Iterator[None]:
    """Make `.data` of a traced tensor return the detached tensor while open."""
    original: Any = torch._C.TensorBase.data

    def read(x: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = original.__get__(x) if get_proxy_mode() is None else x.detach()
        return found

    def write(x: torch.Tensor, value: torch.Tensor) -> None:
        if get_proxy_mode() is None or (x.shape, x.dtype) != (value.shape, value.dtype):
            original.__set__(x, value)
        elif not torch._C._is_alias_of(x, value):  # type: ignore[attr-defined]  # as x.data *= 2
            x.detach().copy_(value.detach())

    with patch.object(torch.Tensor, "data", property(read, write), create=True):
        yield


def keep_gradients(exported: ExportedProgram) -> None:
    """Preserve the gradient of a trained tensor whose data is written to.

    `y.data.masked_fill_(mask, -inf)` changes the value of `y`, but not its gradient. A graph would
    have a new value without gradient. So the new value gets `y - y` added, which is zero, also for
    infinities.

    Raises:
        CaptureError: the written tensor is a parameter, or other values are views of it.
    """
    learn, count = _learning(exported), len(exported.graph.nodes)
    for node in list(exported.graph.nodes):
        for written in _written(node):
            while written not in learn and _is_view(written):
                written = written.all_input_nodes[0]
            if written.target in _DETACHES and written.all_input_nodes[0] in learn:
                learn.add(_redirect_writes(exported.graph, written))
    if len(exported.graph.nodes) > count:
        exported.graph_module.recompile()


def _redirect_writes(graph: Graph, detached: FxNode) -> FxNode:
    """Redirect all writes to a detached value to a copy; return the value that later reads use."""
    order = {node: place for place, node in enumerate(graph.nodes)}
    (source,) = detached.all_input_nodes
    writers = sorted(_writers(detached), key=order.__getitem__)
    first, last = writers[0], writers[-1]
    if _is_shared(source, detached, [user for user in source.users if order[user] < order[first]]):
        raise written_behind(first)
    with graph.inserting_after(detached):
        copy = graph.call_function(torch.ops.aten.clone.default, (detached,))
    copy.meta = detached.meta.copy()
    detached.replace_all_uses_with(copy, delete_user_cb=lambda user: user is not copy)
    with graph.inserting_after(last):
        less = graph.call_function(torch.ops.aten.sub.Tensor, (source, detached))
    with graph.inserting_after(less):
        nothing = graph.call_function(torch.ops.aten.nan_to_num.default, (less,))
    with graph.inserting_after(nothing):
        value = graph.call_function(torch.ops.aten.add.Tensor, (copy, nothing))
    for made in (less, nothing, value):
        made.meta = {**source.meta, "stack_trace": last.meta.get("stack_trace")}
    for reader in list(source.users):
        if order.get(reader, 0) > order[last]:
            reader.replace_input_with(source, value)
    return value


def _is_shared(source: FxNode, detached: FxNode, earlier: list[FxNode]) -> bool:
    """Return whether others share the value's memory: a parameter, or a view of it."""
    if any(_is_view(user) for user in earlier if user is not detached):
        return True
    while _is_view(source):
        (source,) = source.all_input_nodes[:1]
        if len(source.users) > 1:
            return True
    return source.op == "placeholder"


def _writers(node: FxNode) -> list[FxNode]:
    """Return the operators that write to a node's memory, also through views."""
    views = [user for user in node.users if _is_view(user)]
    own = [user for user in node.users if node in _written(user)]
    return own + [writer for view in views for writer in _writers(view)]


def written_behind(*nodes: FxNode) -> CaptureError:
    """Return the error for a write that a tensor's gradient does not reflect."""
    return CaptureError(
        "a tensor's .data is changed here, which tracing cannot follow",
        code="TF406",
        location=place_of(*nodes),
        step="compute with a changed copy instead, as in"
        " F.conv2d(x, self.weight * self.mask) or x.masked_fill(mask, value)",
    )


_DETACHES = (torch.ops.aten.detach.default, torch.ops.aten.detach_.default)


def _learning(exported: ExportedProgram) -> set[FxNode]:
    """Return the nodes through which a gradient reaches a parameter or an input."""
    kinds = {spec.arg.name: spec.kind for spec in exported.graph_signature.input_specs}
    learn: set[FxNode] = set()
    for node in exported.graph.nodes:
        value = node.meta.get("val")
        if node.op == "placeholder":
            trained = kinds[node.name] in (InputKind.PARAMETER, InputKind.USER_INPUT)
            if trained and isinstance(value, torch.Tensor) and value.is_floating_point():
                learn.add(node)
        elif node.target not in _DETACHES and learn.intersection(node.all_input_nodes):
            learn.add(node)
    return learn


def _written(node: FxNode) -> list[FxNode]:
    """Return the nodes whose values an operator modifies."""
    schema = getattr(node.target, "_schema", None)
    if schema is None or not schema.is_mutable:
        return []
    return [
        value
        for argument, value in zip(schema.arguments, node.args, strict=False)
        if argument.is_write and isinstance(value, torch.fx.Node)
    ]


def _is_view(node: FxNode) -> bool:
    """Return whether a node's value is a view of its first input."""
    schema = getattr(node.target, "_schema", None)
    if schema is None or not schema.arguments or schema.is_mutable or node.target in _DETACHES:
        return False
    return schema.arguments[0].alias_info is not None
