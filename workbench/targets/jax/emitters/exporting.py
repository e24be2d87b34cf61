"""Generated modules as StableHLO files, which are loaded and compared with the module."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import torch
from flax import nnx
from torch.export.graph_signature import ConstantArgument, InputKind

from workbench import files
from workbench.lower.backend import LowerError
from workbench.lower.writing.running import WRITTEN_BACK
from workbench.targets.jax import PROGRAM
from workbench.targets.jax.emitters.loading import from_torch, to_torch, whole_width

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from workbench.capture.graph import Graph

# A compiled program may fuse operators, which changes the order of sums.
_RELATIVE, _ABSOLUTE = 1e-4, 1e-5


@whole_width()
def export(graph: Graph, module: Any, path: Path, examples: Sequence[Any]) -> tuple[Path, ...]:
    """Save a module with its weights by `jax.export`, and check the saved program.

    Args:
        graph: the module's graph; its dynamic dimensions stay open.
        module: the generated module.
        path: the program's path, such as `net.stablehlo`.
        examples: torch inputs, one for each input of the graph.

    Raises:
        LowerError: JAX cannot export the module, or the program's results differ.
    """
    if path.suffix != PROGRAM:
        raise LowerError(f"{path}: JAX saves programs as {PROGRAM}; give a name with this ending")
    signature = graph.program.graph_signature
    if any(s.kind in WRITTEN_BACK for s in signature.output_specs):
        raise LowerError(
            f"{graph.name} changes its weights, which a saved program cannot do; call its eval()"
            " first"
        )
    given = [from_torch(value) for value in examples if isinstance(value, torch.Tensor)]
    definition, state = nnx.split(module)

    def run(*inputs: Any) -> Any:
        return nnx.merge(definition, state)(*inputs)

    try:
        exported = jax.export.export(jax.jit(run))(*_specs(graph))
        files.write(path, bytes(exported.serialize()))
    except Exception as error:
        first = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise LowerError(
            f"{graph.name} runs in JAX, but cannot be saved as a program: {first[:300]}; keep the"
            " module and its weights"
        ) from error
    loaded = jax.export.deserialize(bytearray(path.read_bytes()))
    _check(graph, jax.tree.leaves(loaded.call(*given)), jax.tree.leaves(module(*given)))
    return (path,)


def _specs(graph: Graph) -> list[Any]:
    """Return the inputs as JAX declares them; dimensions that are dynamic in torch are symbols."""
    nodes = {n.name: n for n in graph.program.graph.nodes if n.op == "placeholder"}
    shapes: list[tuple[str, torch.Tensor]] = []
    for spec in graph.program.graph_signature.input_specs:
        if spec.kind is not InputKind.USER_INPUT or isinstance(spec.arg, ConstantArgument):
            continue
        value = nodes[spec.arg.name].meta["val"]
        if not isinstance(value, torch.Tensor):
            raise LowerError(
                f"{spec.arg.name} is a number, and a saved program accepts only arrays; capture the"
                " model with it as a constant"
            )
        shapes.append((", ".join(str(size) for size in value.shape), value))
    scope = jax.export.SymbolicScope()
    return [
        jax.ShapeDtypeStruct(
            jax.export.symbolic_shape(shape, scope=scope), str(value.dtype).removeprefix("torch.")
        )
        for shape, value in shapes
    ]


def _check(graph: Graph, found: list[Any], expected: list[Any]) -> None:
    for place, (ours, theirs) in enumerate(zip(found, expected, strict=True)):
        a, b = to_torch(ours), to_torch(theirs)
        same = a.shape == b.shape and a.dtype == b.dtype
        if not same or not torch.allclose(a, b, _RELATIVE, _ABSOLUTE, equal_nan=True):
            raise LowerError(
                f"output {place} of the saved program of {graph.name} differs from the module's;"
                " keep"
                " the module and its weights, and report this with the model"
            )
