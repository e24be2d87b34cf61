"""Views, permutations, joins and splits."""

from __future__ import annotations

from typing import Any

import torch

from workbench.lower.writing.call import Call, atom
from workbench.targets.paddle.emitters.registry import emits, writes

writes(
    {
        "diag_embed": "paddle.diag_embed({self}, offset={offset!s}, dim1={dim1!s}, dim2={dim2!s})",
        "pixel_shuffle": "F.pixel_shuffle({self}, {upscale_factor})",
        "pixel_unshuffle": "F.pixel_unshuffle({self}, {downscale_factor})",
        "channel_shuffle": "F.channel_shuffle({self}, {groups})",
    }
)
writes(
    {
        "view.dtype": "paddle.view({self}, {dtype})",
        "unsqueeze": "paddle.unsqueeze({self}, axis={dim})",
        "expand": "paddle.expand({self}, {size})",
        "repeat": "paddle.tile({self}, {repeats})",
        # Return each position as often as its repeats say.
        "repeat_interleave.Tensor": (
            "paddle.repeat_interleave("
            "paddle.arange({repeats}.shape[0], dtype={dtype}), {repeats}, 0)"
        ),
        "flatten.using_ints": "paddle.flatten({self}, {start_dim}, {end_dim})",
        "unflatten.int": "paddle.unflatten({self}, {dim}, {sizes})",
        "alias lift_fresh_copy contiguous": "{self}",
        "detach": "{self!a}.detach()",
        "unbind.int": "paddle.unbind({self}, axis={dim})",
        "flip": "paddle.flip({self}, axis={dims})",
        "diagonal": "paddle.diagonal({self}, offset={offset!s}, axis1={dim1!s}, axis2={dim2!s})",
        "movedim.int movedim.intlist": "paddle.moveaxis({self}, {source}, {destination})",
    },
    native=True,
)


@emits("view", "_unsafe_view", "reshape", native=True)
def _view(call: Call) -> str:
    sizes = call["size"] if "size" in call.arguments else call["shape"]
    if any(size == 0 for size in sizes):
        # Paddle reads a 0 as "the present size"; an empty tensor has no data to rearrange.
        return f"paddle.zeros({call.write(sizes)}, {call.dtype_text()})"
    return f"paddle.reshape({call.tensor('self')}, {call.write(sizes)})"


@emits("permute", native=True)
def _permute(call: Call) -> str:
    rank = call.rank("self")
    axes = [d % rank for d in call["dims"]]
    return f"paddle.transpose({call.tensor('self')}, {axes})"


@emits("transpose.int", native=True)
def _transpose(call: Call) -> str:
    rank = call.rank("self")
    if rank == 0:
        return call.tensor("self")
    axes = list(range(rank))
    a, b = call["dim0"] % rank, call["dim1"] % rank
    axes[a], axes[b] = axes[b], axes[a]
    return f"paddle.transpose({call.tensor('self')}, {axes})"


@emits("t", "numpy_T", native=True)
def _t(call: Call) -> str:
    axes = list(reversed(range(call.rank("self"))))
    return f"paddle.transpose({call.tensor('self')}, {axes})"


@emits("squeeze", "squeeze.dim", "squeeze.dims", native=True)
def _squeeze(call: Call) -> str:
    x, shape = call.tensor("self"), call.meta("self").shape
    dims = call["dim"] if call.has("dim") else list(range(len(shape)))
    dims = [dims] if isinstance(dims, int) else dims
    axes = [d % len(shape) for d in dims if len(shape) and shape[d] == 1]
    return f"paddle.squeeze({x}, axis={axes})" if axes else x


@emits("expand_as", native=True)
def _expand_as(call: Call) -> str:
    return f"paddle.expand_as({call.tensor('self')}, {call.text('other')})"


@emits("repeat_interleave.self_int", native=True)
def _repeat_interleave(call: Call) -> str:
    axis = f", axis={call['dim']}" if call.has("dim") else ""
    return f"paddle.repeat_interleave({call.tensor('self')}, {call.text('repeats')}{axis})"


@emits("clone", native=True)
def _clone(call: Call) -> str:
    x = call.tensor("self")
    return f"{atom(x)}.clone()" if call.is_held("self") else x


@emits("cat", native=True)
def _cat(call: Call) -> str:
    # torch ignores empty vectors of any rank.
    rank = call.out.dim()
    nodes = [n for n in call["tensors"] if rank == 1 or n.meta["val"].dim() == rank]
    parts = ", ".join(call.tensor_of(n, call.dtype) for n in nodes)
    return f"paddle.concat([{parts}], axis={call.text('dim')})"


@emits("stack", native=True)
def _stack(call: Call) -> str:
    parts = ", ".join(call.tensors("tensors", call.dtype))
    return f"paddle.stack([{parts}], axis={call.text('dim')})"


@emits("split.Tensor", "split_with_sizes", "split.sizes", "chunk", "unsafe_chunk", native=True)
def _split(call: Call) -> str:
    # Paddle's split takes the number of parts or all sizes, torch's the size of a part.
    axis = call.axis("dim")
    sizes = [part.shape[axis] for part in call.value]
    x = call.tensor("self")
    if not all(isinstance(size, int) for size in sizes):
        if "split_sizes" in call.arguments:
            return f"paddle.split({x}, {call.text('split_sizes')}, axis={axis})"
        if "chunks" in call.arguments:
            call.refuse("chunks of a dimension that is dynamic")
        return f"{call.helper('_split')}({x}, {call.text('split_size')}, {axis})"
    if len(sizes) == 1:
        return f"[{x}]"
    return f"paddle.split({x}, {sizes}, axis={axis})"


@emits("tensor_split.sections", "tensor_split.indices", native=True)
def _tensor_split(call: Call) -> str:
    axis = call.axis("dim")
    sizes = [part.shape[axis] for part in call.value]
    return f"paddle.split({call.tensor('self')}, {sizes}, axis={axis})"


@emits("roll", native=True)
def _roll(call: Call) -> str:
    axis = f", axis={call.text('dims')}" if call["dims"] else ""
    return f"paddle.roll({call.tensor('self')}, {call.text('shifts')}{axis})"


@emits("tril")
def _tril(call: Call) -> str:
    return _triangle(call, "tril")


@emits("triu")
def _triu(call: Call) -> str:
    return _triangle(call, "triu")


def _triangle(call: Call, name: str) -> str:
    if call.dtype is torch.bool:
        x = f'{call.tensor("self")}.astype("int32")'
        return f'paddle.{name}({x}, {call.text("diagonal")}).astype("bool")'
    return f"paddle.{name}({call.tensor('self')}, {call.text('diagonal')})"


@emits("unfold", native=True)
def _unfold(call: Call) -> str:
    if call.rank("self") == 0:
        call.refuse("unfold of a tensor without dimensions")
    axis = call.axis("dimension")
    x = call.tensor("self")
    return f"{call.helper('_windows')}({x}, {axis}, {call.text('size')}, {call.text('step')})"


@emits("as_strided", native=True)
def _as_strided(call: Call) -> str:
    call.refuse("the strides describe torch's memory, and Paddle's memory may differ")


@emits("constant_pad_nd")
def _constant_pad(call: Call) -> str:
    return _filled(call, call["value"])


@emits("pad")
def _pad(call: Call) -> str:
    if call["mode"] == "constant":
        return _filled(call, call["value"] or 0)
    return _mirrored(call, call["mode"], call["pad"])


@emits("reflection_pad1d", "reflection_pad2d", "reflection_pad3d")
def _reflection(call: Call) -> str:
    return _mirrored(call, "reflect", call["padding"])


@emits("replication_pad1d", "replication_pad2d", "replication_pad3d")
def _replication(call: Call) -> str:
    return _mirrored(call, "replicate", call["padding"])


def _filled(call: Call, value: Any) -> str:
    """Return constant padding from the first dimension on, an order that Paddle respects."""
    rank = call.rank("self")
    pad = list(call["pad"])
    pairs = [(pad[i], pad[i + 1]) for i in range(0, len(pad), 2)]
    pairs += [(0, 0)] * (rank - len(pairs))
    if any(isinstance(n, int) and n < 0 for pair in pairs for n in pair):
        return f"{call.helper('_pad')}({call.tensor('self')}, {call.write(pad)}, {value})"
    order = [n for pair in reversed(pairs) for n in pair]
    if call.dtype is torch.bool:
        x = f'{call.tensor("self")}.astype("int32")'
        return f'F.pad({x}, {call.write(order)}, value={int(value)}).astype("bool")'
    return f"F.pad({call.tensor('self')}, {call.write(order)}, value={call.write(value)})"


def _mirrored(call: Call, mode: str, pad: Any) -> str:
    spatial = len(pad) // 2
    layout = {1: "NCL", 2: "NCHW", 3: "NCDHW"}[spatial]
    x = call.tensor("self")
    rest = f'{call.write(pad)}, mode="{mode}", data_format="{layout}"'
    if call.rank("self") == spatial + 2:
        return f"F.pad({x}, {rest})"
    return f"F.pad({x}.unsqueeze(0), {rest}).squeeze(0)"
