"""Capture: a module or function, and example inputs, to a `Graph`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from workbench.capture import contract, outputs, provenance
from workbench.capture.callables import as_module, distinct_inputs
from workbench.capture.errors import CaptureError
from workbench.capture.explain import explain
from workbench.capture.read import read_program
from workbench.capture.warn import silent_hazards

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from workbench.capture.graph import Graph


def capture(
    model: torch.nn.Module | Callable[..., Any],
    args: Sequence[Any] | torch.Tensor = (),
    kwargs: Mapping[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
) -> Graph:
    """The graph that `model` computes for inputs like these, at the functional ATen level.

    Args:
        model: a module, in the mode (`train()` or `eval()`) that it is to be captured in, or a
            function of tensors; modules that a function reaches by name become part of it.
        args: example positional inputs; a lone tensor stands for one. Tensors of any dtype.
        kwargs: example keyword inputs.
        dynamic_shapes: as `torch.export.export` takes it, or `"auto"` to let every dimension
            be dynamic that the model allows to be. Without it, shapes are those of the examples.

    Returns:
        The graph; every node carries the line that it comes from, its shape and its dtype. Its
        `warnings` tell what the model's source does that capture bakes in without a word.

    Raises:
        CaptureError: the model cannot be captured; the message holds the user's line, the
            reason and the next step.
    """
    args = (args,) if isinstance(args, torch.Tensor) else tuple(args)
    args, kwargs = distinct_inputs(args, dict(kwargs or {}))
    module = as_module(model, args, kwargs)
    if isinstance(dynamic_shapes, str):
        if dynamic_shapes != "auto":
            raise CaptureError(
                f"dynamic_shapes={dynamic_shapes!r} is not known",
                step='pass "auto", or what torch.export.export takes',
            )
        dynamic_shapes = contract.auto(module, args, kwargs)
    with provenance.user_traces():
        try:
            exported, made_plain = _exported(module, args, kwargs, dynamic_shapes)
            provenance.stamp(exported.graph_module)
            program = exported.run_decompositions({})
        except Exception as error:
            raise explain(error, module) from error
    symbols = contract.symbol_names(exported, module, args, kwargs, dynamic_shapes)
    graph = read_program(
        program,
        name=getattr(model, "__name__", type(model).__name__),
        origins=provenance.Origins(exported.graph_module),
        symbols=symbols,
        training=module.training,
    )
    graph.warnings = silent_hazards(model) + tuple(
        f"an output is a {name}, which no graph returns: it is a dict of its tensors here"
        for name in sorted(made_plain)
    )
    return graph


def _exported(
    module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], dynamic_shapes: Any
) -> tuple[torch.export.ExportedProgram, set[str]]:
    """The exported program, and the classes of outputs that had to be made plain for it."""

    def export() -> torch.export.ExportedProgram:
        return torch.export.export(
            module, args, kwargs, dynamic_shapes=dynamic_shapes, strict=False
        )

    try:
        return export(), set()
    except Exception as error:
        if outputs.UNKNOWN not in str(error):
            raise
    with outputs.plain_outputs(module) as found:
        return export(), found


def load(path: Path) -> Graph:
    """Read a `.pt2` file as a graph; see `Graph.load`."""
    if not path.is_file():
        raise CaptureError(f"{path}: no such file", step="give the path of a .pt2 file")
    try:
        program = torch.export.load(path)
    except Exception as error:
        raise CaptureError(
            f"{path}: not a readable exported program ({error})",
            step="write it again with Graph.save or torch.export.save; it may be truncated",
        ) from error
    return read_program(program, name=path.stem, origins=provenance.Origins(program.graph_module))
