"""Capture of a module or function with example inputs as a `Graph`."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import torch
from torch._subclasses import fake_tensor

from workbench.capture import outputs, provenance
from workbench.capture.callables import as_module, distinct_inputs
from workbench.capture.checks import assumptions, contract
from workbench.capture.checks.equivalence import difference, runs
from workbench.capture.errors import CaptureError
from workbench.capture.explain import TRIED_AGAIN, explain
from workbench.capture.hazards.silent_hazards import silent_hazards
from workbench.capture.hide_tracing import unseen
from workbench.capture.reached import reached, restore
from workbench.capture.read import read_program
from workbench.capture.reassigned import written_back
from workbench.capture.stand_ins.ctc import spelled_out
from workbench.capture.stand_ins.data import data_detached, keep_gradients
from workbench.capture.stand_ins.own_gradients import held, hooked
from workbench.capture.stand_ins.packed import padded
from workbench.capture.untransformed import failed_at_transform, gradients_noted, untransformed
from workbench.codes import UNLIKE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from torch.export import ExportedProgram

    from workbench.capture.graph import Graph

# Limit of elements for constants that are folded: torch's tracer knows only single elements, and
# sizes have a few.
_FOLDED = 64


def capture(
    model: torch.nn.Module | Callable[..., Any],
    args: Sequence[Any] | torch.Tensor = (),
    kwargs: Mapping[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    assume: bool = True,
    check: bool = True,
) -> Graph:
    """Return the graph that `model` computes for inputs like these, at the functional ATen level.

    Args:
        model: a module, in the mode (`train()` or `eval()`) to capture it in, or a function of
            tensors; modules that a function reaches by name become part of the graph.
        args: example positional inputs; a single tensor is one input. Tensors of any dtype.
        kwargs: example keyword inputs.
        dynamic_shapes: as for `torch.export.export`, or `"auto"` to make every dimension dynamic
            that the model permits. By default, shapes are those of the examples.
        assume: if a choice depends on data (`if mask.any():`), make it as for the examples, add it
            to the graph's contract, and let the graph reject inputs that decide otherwise. If
            False, such a model is refused.
        check: run the graph and the model once on the examples, on a copy of the model's buffers,
            and refuse a graph that differs from the model.

    Returns:
        The graph; every node has its source line, shape and dtype. Its `warnings` report what
        capture silently fixes, and the assumptions.

    Raises:
        CaptureError: the model cannot be captured; the message has the user's line, the reason and
            the next step.
    """
    args = (args,) if isinstance(args, torch.Tensor) else tuple(args)
    args, kwargs = distinct_inputs(args, dict(kwargs or {}))
    module = as_module(model, args, kwargs)
    if isinstance(dynamic_shapes, str):
        if dynamic_shapes != "auto":
            raise CaptureError(
                f"dynamic_shapes={dynamic_shapes!r} is not known",
                step='pass "auto", or a value that torch.export.export accepts',
            )
        dynamic_shapes = contract.auto(module, args, kwargs)
    with (
        provenance.user_traces(),
        padded(),
        spelled_out(),
        data_detached(),
        held() as lost,
        gradients_noted() as asked,
    ):
        try:
            exported, program, warnings = _captured(
                module, args, kwargs, dynamic_shapes, assume=assume, check=check
            )
        except CaptureError as error:
            if dynamic_shapes is not None or not (asked or failed_at_transform(error.__cause__)):
                raise
            try:
                module = untransformed(module, args, kwargs)
            except Exception as other:
                raise (explain(other, module) if asked else error) from other
            exported, program, warnings = _captured(
                module, args, kwargs, None, assume=False, check=check
            )
    symbols = contract.symbol_names(exported, module, args, kwargs, dynamic_shapes)
    graph = read_program(
        program,
        name=getattr(model, "__name__", type(model).__name__),
        origins=provenance.Origins(exported.graph_module),
        symbols=symbols,
        training=module.training,
    )
    graph.warnings = (
        *silent_hazards(model),
        *warnings,
        *(f"assumed that {each}" for each in assumptions.assumptions(program)),
        *sorted(map(str, lost)),
        *hooked(model),
    )
    return graph


def _captured(
    module: torch.nn.Module,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    dynamic_shapes: Any,
    *,
    assume: bool,
    check: bool,
) -> tuple[ExportedProgram, ExportedProgram, list[str]]:
    """Return the exported and the functional program by the first way of tracing that works.

    Also returns warnings about that way. A model is traced normally first, then with the example's
    values, then in addition without letting its code detect tracing.

    Raises:
        CaptureError: no way works; the message is about the first one.
    """
    first: CaptureError | None = None
    others = (assumptions.example_decides, _eagerly, partial(_eagerly, sizes=True))
    for way in (nullcontext, *others) if assume else (nullcontext,):
        try:
            with way() as answers, reached():
                exported, made_plain = _exported(module, args, kwargs, dynamic_shapes)
            keep_gradients(exported)
            warnings = [
                (
                    f"an output is a {name}, which a graph cannot return: it becomes a dict of"
                    " its tensors"
                )
                for name in sorted(made_plain)
            ]
            warnings += restore(exported, module)
            if answers is not None:
                assumptions.state(exported, answers)
            provenance.stamp(exported.graph_module)
            program = assumptions.decomposed(exported, {})
        except Exception as error:
            if first is None:
                takes = cache(partial(runs, module, args, kwargs))
                first = error if isinstance(error, CaptureError) else explain(error, module, takes)
                first.__cause__ = error
                if first.code not in TRIED_AGAIN or not takes():
                    break
            continue
        reason = difference(program, module, args, kwargs) if check else ""
        if not reason:
            return exported, program, warnings
        first = first or CaptureError(
            f"{type(module).__name__} gives other results while it is captured: {reason}",
            code=UNLIKE,
            step="look for code that runs only if torch.compiler.is_compiling() is false, or pass"
            " the inputs that this code needs; check=False accepts the graph unchecked",
        )
    assert first is not None
    raise first


@contextmanager
def _eagerly(*, sizes: bool = False) -> Iterator[assumptions.Answers]:
    """Trace with the example's values, and hide the tracing from the model."""
    with assumptions.example_decides(sizes=sizes) as answers, unseen():
        yield answers


def _exported(
    module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], dynamic_shapes: Any
) -> tuple[ExportedProgram, set[str]]:
    """Return the exported program, and the classes of outputs converted to plain containers."""

    def export() -> ExportedProgram:
        with written_back(module), patch.object(fake_tensor, "CONSTANT_NUMEL_LIMIT", _FOLDED):
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


def load(path: str | Path) -> Graph:
    """Read a graph that `Graph.save` wrote, or any other `.pt2` program.

    Raises:
        CaptureError: the file is missing, truncated or not an exported program.
    """
    path = Path(path)
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
