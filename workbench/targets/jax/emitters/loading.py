"""Loader of a generated module, which runs its source and copies torch's weights into it."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import torch
from flax import nnx

from workbench.lower.writing.running import StatementSession, execute, held, owner_of

if TYPE_CHECKING:
    from workbench.capture.graph import Graph
    from workbench.lower.backend import Line, Written


def from_torch(value: torch.Tensor) -> Any:
    """Return a torch tensor as an array with its own memory.

    With shared memory, torch could overwrite what JAX considers constant while work is in flight.
    """
    jax.config.update("jax_enable_x64", True)
    # DLPack does not support lazily negated or conjugated memory.
    value = value.detach().resolve_conj().resolve_neg().contiguous()
    return jnp.array(jnp.from_dlpack(value)).block_until_ready()


def to_torch(value: Any) -> Any:
    """Return an array as a tensor with its own memory; also numbers and values in tuples."""
    if isinstance(value, nnx.Variable):
        value = value[...]
    if isinstance(value, jax.Array):
        return torch.utils.dlpack.from_dlpack(value.block_until_ready()).clone()
    if isinstance(value, (tuple, list)):
        return tuple(to_torch(item) for item in value)
    return value


def load(graph: Graph, written: Written) -> Any:
    """Return the module that the source defines, with the graph's weights."""
    namespace = execute(written.source, written.class_name)
    return fill(namespace[written.class_name](), graph, written)


def fill(module: Any, graph: Graph, written: Written) -> Any:
    """Return the module with copies of the graph's weights."""
    for spec in graph.program.graph_signature.input_specs:
        if spec.target not in written.parameters:
            continue
        owner, attribute = owner_of(module, written.parameters[spec.target])
        getattr(owner, attribute)[...] = from_torch(held(graph.program, spec.target))
    return module


class BlockingSession(StatementSession):
    """A loaded module that runs statement by statement, each to completion."""

    compiles = True

    def __init__(self, module: Any, written: Written) -> None:
        namespace = type(module).__call__.__globals__
        super().__init__(module, namespace, written, lambda line: nullcontext())

    def step(self, line: Line) -> Any:
        """Execute one statement of the source."""
        return jax.block_until_ready(super().step(line))
