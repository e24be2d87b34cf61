"""`x.data`, which torch reads without its tracer seeing it, as `x.detach()`, which it sees.

What is written there has no gradient, and in a graph what it is part of loses its own. So buffers
may be written so, and what is trained may not.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import torch
from torch.export.graph_signature import InputKind
from torch.fx.experimental.proxy_tensor import get_proxy_mode

from workbench.capture.errors import CaptureError
from workbench.capture.provenance import innermost, locations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch.export import ExportedProgram
    from torch.fx import Node as FxNode


@contextmanager
def data_detached() -> Iterator[None]:
    """While open, the data of a tensor that is traced is the tensor without its gradients."""
    original: Any = torch._C.TensorBase.data

    def read(x: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = original.__get__(x) if get_proxy_mode() is None else x.detach()
        return found

    with patch.object(torch.Tensor, "data", property(read, original.__set__), create=True):
        yield


def refuse_writes(exported: ExportedProgram) -> None:
    """Refuse a program that writes into what it has detached of something that is trained.

    Raises:
        CaptureError: it does, at the user's line.
    """
    learn = _learning(exported)
    for node in exported.graph.nodes:
        for written in _written(node):
            while written not in learn and _is_view(written):
                written = written.args[0]
            if written.target in _DETACHES and written.args[0] in learn:
                raise written_behind(node)


def written_behind(*nodes: FxNode) -> CaptureError:
    """What is said of a write that the gradient of a tensor does not see, by its nodes."""
    traces = (each.meta.get("stack_trace") or "" for each in nodes)
    place = next((place for trace in traces if (place := innermost(locations(trace)))), None)
    return CaptureError(
        "a tensor's .data is changed here, which tracing cannot follow",
        code="TF406",
        location=place,
        step="compute with a changed copy instead, as in"
        " F.conv2d(x, self.weight * self.mask) or x.masked_fill(mask, value)",
    )


_DETACHES = (torch.ops.aten.detach.default, torch.ops.aten.detach_.default)


def _learning(exported: ExportedProgram) -> set[FxNode]:
    """The nodes through which a gradient goes to a parameter or an input."""
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
    """The nodes whose values an operator changes."""
    schema = getattr(node.target, "_schema", None)
    if schema is None or not schema.is_mutable:
        return []
    return [
        value
        for argument, value in zip(schema.arguments, node.args, strict=False)
        if argument.is_write and isinstance(value, torch.fx.Node)
    ]


def _is_view(node: FxNode) -> bool:
    """Whether a node's value is a part or another form of its first input's."""
    schema = getattr(node.target, "_schema", None)
    first = schema.arguments[0].alias_info if schema is not None and schema.arguments else None
    return first is not None and node.target not in _DETACHES and not schema.is_mutable
