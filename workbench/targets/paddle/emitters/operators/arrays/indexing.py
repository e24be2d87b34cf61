"""Reading by index. An index out of range raises; Paddle would read arbitrary memory."""

from __future__ import annotations

import torch

from workbench.lower.writing.call import Call
from workbench.targets.paddle.emitters.registry import emits, writes

writes({"masked_select": "paddle.masked_select({self}, {mask})"}, native=True)


@emits("index.Tensor", native=True)
def _index(call: Call) -> str:
    # A size that depends on the data cannot be compared.
    sizes = [size for size in call.meta("self").shape if isinstance(size, int)]
    if 0 in sizes and any(node is None for node in call["indices"]):
        call.refuse("Paddle returns a wrong shape for a slice of an empty tensor")
    indices = ", ".join(
        "None" if node is None else call.tensor_of(node, _index_dtype(node))
        for node in call["indices"]
    )
    return f"{call.helper('_index')}({call.tensor('self')}, {indices})"


def _index_dtype(node: torch.fx.Node) -> torch.dtype:
    """Return the dtype of an index: bool for masks and for bytes, which torch reads as masks."""
    dtype: torch.dtype = node.meta["val"].dtype
    return torch.bool if dtype in (torch.bool, torch.uint8) else torch.int64


@emits("embedding", native=True)
def _embedding(call: Call) -> str:
    ids, weight = call.tensor("indices"), call.tensor("weight")
    padding = call["padding_idx"]
    last = f", {padding}" if isinstance(padding, int) and padding >= 0 else ""
    return f"{call.helper('_embedding')}({ids}, {weight}{last})"


@emits("index_select", native=True)
def _index_select(call: Call) -> str:
    if call.rank("self") == 0:
        return call.tensor("self")
    return f"paddle.index_select({call.tensor('self')}, {call.text('index')}, {call.text('dim')})"


@emits("gather", native=True)
def _gather(call: Call) -> str:
    x, index = call.tensor("self"), call.tensor("index", torch.int64)
    if call.rank("self") == 0 or call.rank("index") != call.rank("self"):
        call.refuse("gather between tensors of different rank")
    return f"paddle.take_along_axis({x}, {index}, {call.axis('dim')}, broadcast=False)"


@emits("take_along_dim", native=True)
def _take_along(call: Call) -> str:
    if not call.has("dim"):
        call.refuse("take_along_dim without a dimension")
    x, index = call.tensor("self"), call.text("indices")
    return f"paddle.take_along_axis({x}, {index}, {call.axis('dim')})"


@emits("nonzero", native=True)
def _nonzero(call: Call) -> str:
    if call.rank("self") == 0:
        call.refuse("nonzero of a tensor without dimensions")
    return f"paddle.nonzero({call.tensor('self')})"


@emits("one_hot", native=True)
def _one_hot(call: Call) -> str:
    classes = call["num_classes"]
    if classes == -1:
        call.refuse("one_hot whose number of classes depends on the data")
    return f'F.one_hot({call.tensor("self")}, {call.write(classes)}).astype("int64")'


@emits("bucketize.Tensor")
def _bucketize(call: Call) -> str:
    x, edges = call.tensor("self"), call.tensor("boundaries", call.meta("self").dtype)
    return f"paddle.bucketize({x}, {edges}, out_int32={call['out_int32']}, right={call['right']})"


@emits("searchsorted.Tensor")
def _searchsorted(call: Call) -> str:
    if call.has("sorter"):
        call.refuse("searchsorted with a sorter")
    x = call.tensor("self", call.meta("sorted_sequence").dtype)
    right = call["right"] or call["side"] == "right"
    rest = f"out_int32={call['out_int32']}, right={right}"
    return f"paddle.searchsorted({call.tensor('sorted_sequence')}, {x}, {rest})"
