"""Loader of a generated module, which runs its source and copies torch's weights into it."""

from __future__ import annotations

import inspect
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import torch
from flax import nnx

from workbench.lower.writing.running import StatementSession, execute, held, owner_of
from workbench.targets.jax.emitters.dialect import DIALECT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.capture.graph import Graph
    from workbench.lower.backend import Line, Written


@contextmanager
def whole_width() -> Iterator[None]:
    """While open, JAX has the 64 bits that generated code asks for.

    The setting of the process, which other code relies on, stays as it is.
    """
    with jax.enable_x64(True):
        yield


@whole_width()
def from_torch(value: torch.Tensor) -> Any:
    """Return a torch tensor as an array with its own memory.

    With shared memory, torch could overwrite what JAX considers constant while work is in flight.
    """
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


def define(source: str, name: str) -> dict[str, Any]:
    """Return the names that generated source defines; calls of its module `name` have 64 bits.

    The line that would turn them on for the whole process is left empty.
    """
    for line in DIALECT.setup:
        source = source.replace(f"\n{line}\n", "\n\n", 1)
    with whole_width():
        namespace = execute(source, name)
    made = namespace[name]
    for method in ("__init__", "__call__"):
        setattr(made, method, whole_width()(getattr(made, method)))
    return namespace


def load(graph: Graph, written: Written) -> Any:
    """Return the module that the source defines, with the graph's weights."""
    namespace = define(written.source, written.class_name)
    return fill(namespace[written.class_name](), graph, written)


@whole_width()
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
        namespace = inspect.unwrap(type(module).__call__).__globals__
        super().__init__(module, namespace, written, lambda line: nullcontext())

    @whole_width()
    def step(self, line: Line) -> Any:
        """Execute one statement of the source."""
        return jax.block_until_ready(super().step(line))
