"""Writing by index into a new tensor."""

from __future__ import annotations

from typing import Any

import torch

from workbench.lower.writing.call import Call
from workbench.targets.paddle.emitters.operators.arrays.indexing import _index_dtype
from workbench.targets.paddle.emitters.registry import emits, writes

writes({"masked_scatter": "paddle.masked_scatter({self}, {mask}, {source})"}, native=True)

# Paddle cannot scatter values of these dtypes; a wider integer dtype holds them.
_WIDER = {torch.bool: torch.uint8, torch.int8: torch.int16}


@emits("index_put", native=True)
def _index_put(call: Call) -> str:
    indices = ", ".join(
        "None" if node is None else call.tensor_of(node, _index_dtype(node))
        for node in call["indices"]
    )
    x, values = call.tensor("self"), call.tensor("values")
    trailing = "," if len(call["indices"]) == 1 else ""
    add = ", accumulate=True" if call["accumulate"] else ""
    return f"{call.helper('_index_put')}({x}, ({indices}{trailing}), {values}{add})"


@emits("slice_scatter", native=True)
def _slice_scatter(call: Call) -> str:
    axis = call.axis("dim")
    end = call["end"]
    high = "None" if end is None or (isinstance(end, int) and end >= 2**62) else call.write(end)
    place = f"slice({call.text('start')}, {high}, {call.text('step')})"
    return _assigned(call, axis, place)


@emits("select_scatter", native=True)
def _select_scatter(call: Call) -> str:
    return _assigned(call, call.axis("dim"), call.text("index"))


def _assigned(call: Call, axis: int, place: str) -> str:
    where = "(" + "slice(None), " * axis + f"{place},)"
    source = call.tensor("src", call.dtype)
    return f"{call.helper('_assigned')}({call.tensor('self')}, {where}, {source})"


@emits("scatter.src", "scatter.value", "scatter_add", "scatter.reduce", "scatter.value_reduce")
def _scatter(call: Call) -> str:
    name = str(call.node.target)
    reduce = "add" if "scatter_add" in name else "assign"
    if call.has("reduce"):
        reduce = {"add": "add", "multiply": "mul"}[call["reduce"]]
    values = _values(call, "src" if "src" in call.arguments else "value")
    return _put(call, values, reduce)


@emits("scatter_reduce.two")
def _scatter_reduce(call: Call) -> str:
    reduce = {"sum": "add", "prod": "mul", "mean": "mean", "amax": "amax", "amin": "amin"}
    return _put(call, _values(call, "src"), reduce[call["reduce"]], include=call["include_self"])


def _values(call: Call, name: str) -> str:
    index = call.tensor("index", torch.int64)
    if not call.is_tensor(name):
        return f"paddle.full_like({index}, {call.text(name)}, dtype={call.dtype_text()})"
    source, held = call.meta(name).shape, call.meta("index").shape
    if source == held:
        return call.tensor(name)
    # torch reads only the part of the source with the shape of the index.
    window = ", ".join(f":{call.write(_size(size))}" for size in held)
    return f"{call.tensor(name)}[{window}]"


def _size(size: Any) -> int:
    return int(size)


def _put(call: Call, values: str, reduce: str, *, include: bool = True) -> str:
    if call.rank("self") == 0 or call.rank("index") != call.rank("self"):
        call.refuse("scatter between tensors of different rank")
    index = call.tensor("index", torch.int64)
    rest = f'{call.axis("dim")}, reduce="{reduce}", broadcast=False'
    rest += "" if include else ", include_self=False"
    wide = _WIDER.get(call.dtype, call.dtype)
    if call.dtype is torch.bool and reduce not in ("assign", "amax", "amin"):
        call.refuse("arithmetic of booleans")
    values = call.cast(values, call.dtype, wide)
    put = f"paddle.put_along_axis({call.tensor('self', wide)}, {index}, {values}, {rest})"
    return call.cast(put, wide, call.dtype)


@emits("index_add")
def _index_add(call: Call) -> str:
    source = call.tensor("source")
    if call.rank("self") == 0 or call.rank("source") == 0:
        call.refuse("index_add on a tensor without dimensions")
    if call["alpha"] != 1:
        source = f"{source} * {call.text('alpha')}"
    x, index = call.tensor("self"), call.text("index")
    return f"paddle.index_add({x}, {index}, {call.text('dim')}, {source})"


@emits("index_fill.int_Scalar")
def _index_fill(call: Call) -> str:
    if call.rank("self") == 0:
        call.refuse("index_fill on a tensor without dimensions")
    x, index = call.tensor("self"), call.text("index")
    return f"paddle.index_fill({x}, {index}, {call.text('dim')}, {call.text('value')})"


@emits("index_copy", native=True)
def _index_copy(call: Call) -> str:
    if call.rank("self") == 0:
        call.refuse("index_copy on a tensor without dimensions")
    axis = call.axis("dim")
    indices = ", ".join(["None"] * axis + [call.tensor("index")])
    trailing = "," if axis == 0 else ""
    x, source = call.tensor("self"), call.tensor("source")
    if axis:
        call.refuse("index_copy along another dimension than the first")
    return f"{call.helper('_index_put')}({x}, ({indices}{trailing}), {source})"


@emits("copy", native=True)
def _copy(call: Call) -> str:
    return f"paddle.expand_as({call.tensor('src', call.dtype)}, {call.text('self')})"
