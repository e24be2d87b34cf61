"""Generated layers as static program files, which are loaded and compared with the layer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import paddle
import torch
from torch.export.graph_signature import ConstantArgument, InputKind

from workbench.lower.backend import LowerError
from workbench.targets.paddle.emitters.dialect import DIALECT
from workbench.targets.paddle.emitters.loading import from_torch, to_torch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.capture.graph import Graph

# A static program may fuse operators, which changes the order of sums.
_RELATIVE, _ABSOLUTE = 1e-4, 1e-5


def export(graph: Graph, layer: Any, path: Path, examples: Sequence[Any]) -> tuple[Path, ...]:
    """Save a layer with `paddle.jit.save`, and check the results of the saved program.

    Args:
        graph: the layer's graph; its dynamic dimensions stay open.
        layer: the generated layer.
        path: the program's path: `net.json` results in `net.json` and `net.pdiparams`.
        examples: torch inputs, one for each input of the graph.

    Raises:
        LowerError: Paddle cannot create a static program, or the program's results differ.
    """
    if path.suffix != ".json":
        raise LowerError(f"{path}: Paddle saves programs as .json; give a name with this ending")
    stem = str(path.with_suffix(""))
    given = [from_torch(value, share=False) for value in examples if _is_tensor(value)]
    static: Any = paddle.jit.to_static(layer, input_spec=_specs(graph))
    try:
        with paddle.no_grad():
            expected = _leaves(static.forward.dygraph_function(*given))
            paddle.jit.save(static, stem)
    except Exception as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise LowerError(
            f"{graph.name} runs in Paddle, but cannot be saved as a static program:"
            f" {(lines or [type(error).__name__])[-1][:300]};"
            " keep the layer and its state dict"
        ) from error
    finally:
        static.forward.rollback()
    found = _leaves(paddle.jit.load(stem)(*given))
    _check(graph, found, expected)
    return path, path.with_suffix(".pdiparams")


def _specs(graph: Graph) -> list[Any]:
    specs = []
    placeholders = {n.name: n for n in graph.program.graph.nodes if n.op == "placeholder"}
    for spec in graph.program.graph_signature.input_specs:
        if spec.kind is not InputKind.USER_INPUT or isinstance(spec.arg, ConstantArgument):
            continue
        value = placeholders[spec.arg.name].meta["val"]
        if not isinstance(value, torch.Tensor):
            raise LowerError(
                f"{spec.arg.name} is a number, and a static program accepts only tensors; capture"
                " the"
                " model with it as a constant"
            )
        shape = [size if isinstance(size, int) else None for size in value.shape]
        name = spec.arg.name
        dtype = DIALECT.dtype_name(value.dtype)
        specs.append(paddle.static.InputSpec(shape, dtype, name=name))
    return specs


def _check(graph: Graph, found: list[Any], expected: list[Any]) -> None:
    if len(found) != len(expected):
        raise LowerError(
            f"the saved program of {graph.name} returns {len(found)} tensors, not {len(expected)}"
        )
    for place, (ours, theirs) in enumerate(zip(found, expected, strict=True)):
        a, b = to_torch(ours), to_torch(theirs)
        same = a.shape == b.shape and a.dtype == b.dtype
        if not same or not torch.allclose(a, b, _RELATIVE, _ABSOLUTE, equal_nan=True):
            raise LowerError(
                f"output {place} of the saved program of {graph.name} differs from the layer's;"
                " keep"
                " the layer and its state dict, and report this with the model"
            )


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in _leaves(item)]
    return [value] if isinstance(value, paddle.Tensor) else []


def _is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)
