"""Samples of torch's own operator database, captured, lowered and held against torch."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

import torch
from torch._export import utils as export_utils
from torch.export import exported_program
from torch.utils import _pytree as pytree

from workbench.capture import CaptureError, Graph, capture
from workbench.compare.nodes.comparison import compare_nodes
from workbench.lower import LowerError, lower

# torch lists its operators again for each graph, which takes a quarter of such a test.
for _module in (exported_program, export_utils):
    _listed = cache(_module._collect_all_valid_cia_ops)
    _module._collect_all_valid_cia_ops = _listed  # type: ignore[attr-defined]

# Operators without a comparable value, and those that change the process.
LEFT_OUT = ("empty", "resize", "rand", "normal", "uniform", "cauchy", "exponential", "geometric")

# Operators of common models, for tests that cannot take the time for all of them.
MODELS_HAVE = (
    "__getitem__",
    "abs",
    "add",
    "addmm",
    "amax",
    "argmax",
    "as_strided",
    "baddbmm",
    "bmm",
    "cat",
    "clamp",
    "cumsum",
    "div/floor_rounding",
    "einsum",
    "expand",
    "fft.rfft",
    "flip",
    "gather",
    "index_add",
    "index_put",
    "index_select",
    "lgamma",
    "linalg.cholesky",
    "linalg.eigvalsh",
    "linalg.norm/subgradients_at_zero",
    "linalg.solve",
    "linalg.vector_norm",
    "log_softmax",
    "logsumexp",
    "masked_fill",
    "matmul",
    "max/reduction_with_dim",
    "mean",
    "mul",
    "native_layer_norm",
    "nn.functional.adaptive_avg_pool2d",
    "nn.functional.avg_pool2d",
    "nn.functional.batch_norm",
    "nn.functional.conv1d",
    "nn.functional.conv2d",
    "nn.functional.conv_transpose2d",
    "nn.functional.cross_entropy",
    "nn.functional.embedding",
    "nn.functional.embedding_bag",
    "nn.functional.gelu",
    "nn.functional.grid_sample",
    "nn.functional.group_norm",
    "nn.functional.hardtanh",
    "nn.functional.interpolate/bicubic",
    "nn.functional.interpolate/bilinear",
    "nn.functional.interpolate/nearest",
    "nn.functional.layer_norm",
    "nn.functional.linear",
    "nn.functional.max_pool2d",
    "nn.functional.pad/constant",
    "nn.functional.pad/reflect",
    "nn.functional.scaled_dot_product_attention",
    "nn.functional.silu",
    "nn.functional.softplus",
    "nn.functional.unfold",
    "pinverse",
    "pow",
    "remainder",
    "repeat_interleave",
    "roll",
    "scatter_add",
    "scatter_reduce/amax",
    "scatter_reduce/prod",
    "softmax",
    "sort",
    "split",
    "std",
    "sum",
    "topk",
    "tril",
    "unfold",
    "var",
    "where",
)


@dataclass(frozen=True)
class Sample:
    """One call of an operator: `function` of `tensors`, everything else bound."""

    function: Any
    tensors: tuple[torch.Tensor, ...]


@dataclass(frozen=True)
class Verdict:
    """`equal`, `torch` (some node ran in torch), `differs`, `crash` or `skip`, with a reason."""

    kind: str
    reason: str = ""


@cache
def operators() -> dict[str, Any]:
    """Return the database by name and variant, without draws."""
    from torch.testing._internal.common_methods_invocations import op_db

    return {
        op.name + (f"/{op.variant_test_name}" if op.variant_test_name else ""): op
        for op in op_db
        if not any(part in op.name for part in LEFT_OUT)
    }


def samples(op: Any, dtype: torch.dtype, count: int) -> Iterator[Sample]:
    """Yield the first samples of an operator, as functions of only their tensors."""
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = islice(op.sample_inputs("cpu", dtype), 40)
        every = list(found)
    # Spread over the database's list: its first samples are the plain ones.
    step = max(1, len(every) // count)
    for sample in every[::step][:count]:
        leaves, tree = pytree.tree_flatten((sample.input, sample.args, sample.kwargs))
        places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]

        def function(
            *tensors: torch.Tensor, leaves: Any = leaves, tree: Any = tree, places: Any = places
        ) -> Any:
            full = list(leaves)
            for place, tensor in zip(places, tensors, strict=True):
                full[place] = tensor
            first, args, kwargs = pytree.tree_unflatten(full, tree)
            return op.op(first, *args, **kwargs)

        yield Sample(Bound(function), tuple(leaves[i] for i in places))


class Bound(torch.nn.Module):
    """The function as a module whose inputs have plain names."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, *tensors: torch.Tensor) -> Any:
        return self.function(*tensors)


def refusal_of_torch(graph: Graph, sample: Sample) -> str | None:
    """Why torch's own exported program will not run a sample, if so.

    Of masked_select it asserts as many results as the input has elements, before broadcasting.
    """
    try:
        graph.program.module()(*sample.tensors)
    except RuntimeError as error:
        return str(error)
    return None


def judge(sample: Sample) -> Verdict:
    """Capture, lower and compare one sample node by node."""
    try:
        graph = capture(sample.function, sample.tensors, check=False)
    except CaptureError as error:
        return Verdict("skip", str(error).splitlines()[0][:120])
    try:
        lowered = lower(graph)
    except LowerError as error:
        return Verdict("skip", str(error))
    result = compare_nodes(lowered, sample.tensors)
    if result.first is not None:
        first = result.first
        if refused := refusal_of_torch(graph, sample):
            return Verdict("skip", refused)
        return Verdict("differs", f"{first.op}: {first.reason} [{first.code}]")
    if lowered.fallbacks:
        return Verdict("torch", "; ".join(f"{f.op}: {f.reason}" for f in lowered.fallbacks))
    return Verdict("equal")
