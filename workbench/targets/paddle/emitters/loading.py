"""Loader of a generated layer, which runs its source and sets torch's weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import paddle
import torch
from paddle.base.framework import EagerParamBase

from workbench.lower.writing.running import (
    WRITTEN_BACK,
    StatementSession,
    execute,
    held,
    memory,
    owner_of,
)

if TYPE_CHECKING:
    from workbench.capture.graph import Graph
    from workbench.lower.backend import Line, Written


def from_torch(value: torch.Tensor, *, share: bool) -> Any:
    """Return a torch tensor as a Paddle tensor, with shared memory if requested, else a copy."""
    value = value.detach()
    # DLPack does not support lazily negated or conjugated memory.
    value = value.resolve_conj().resolve_neg()
    if share:
        return paddle.from_dlpack(value)  # type: ignore[arg-type]
    # Copy to Paddle's own memory. Otherwise a thread of its executor that frees torch's memory
    # would wait for Python's lock, whose owner waits for Paddle.
    return paddle.from_dlpack(value.contiguous()).clone()  # type: ignore[arg-type]


def to_torch(value: Any) -> Any:
    """Return a Paddle value, or a tuple of values, as torch values with shared memory."""
    if isinstance(value, paddle.Tensor):
        return torch.utils.dlpack.from_dlpack(value.detach())
    if isinstance(value, (tuple, list)):
        return type(value)(to_torch(item) for item in value)
    return value


def load(graph: Graph, written: Written, *, share: bool) -> Any:
    """Return the layer that the source defines, with the graph's weights."""
    paddle.disable_signal_handler()
    namespace = execute(written.source, written.class_name)
    with paddle.LazyGuard():
        layer = namespace[written.class_name]()
    _fill(layer, graph, written, share=share)
    layer.train() if graph.training else layer.eval()
    layer._torchferry_namespace = namespace
    return layer


def _fill(layer: Any, graph: Graph, written: Written, *, share: bool) -> None:
    program = graph.program
    changed = {
        spec.target for spec in program.graph_signature.output_specs if spec.kind in WRITTEN_BACK
    }
    # Weights that are tied in torch stay one weight.
    made: dict[tuple[Any, ...], Any] = {}
    for spec in program.graph_signature.input_specs:
        if spec.target not in written.parameters:
            continue
        value = held(program, spec.target)
        owner, attribute = owner_of(layer, written.parameters[spec.target])
        same = memory(value)
        is_parameter = attribute in owner._parameters
        if is_parameter and value.numel() and same in made:
            owner._parameters[attribute] = made[same]
            continue
        tensor = from_torch(value, share=share and spec.target not in changed)
        if not is_parameter:
            tensor.stop_gradient = True
            owner._buffers[attribute] = tensor
            continue
        tensor.stop_gradient = not value.requires_grad
        make: Any = EagerParamBase.from_tensor
        parameter = make(tensor, trainable=bool(value.requires_grad))
        parameter.stop_gradient = not value.requires_grad
        owner._parameters[attribute] = parameter
        made[same] = parameter


def session(layer: Any, written: Written) -> StatementSession:
    """Return a session that runs a loaded layer statement by statement."""
    return StatementSession(layer, layer._torchferry_namespace, written, _recording)


def _recording(line: Line) -> Any:
    return paddle.set_grad_enabled(line.grad and paddle.is_grad_enabled())
