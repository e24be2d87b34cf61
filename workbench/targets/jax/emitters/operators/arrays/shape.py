"""Views, permutations, joins and splits. JAX has no views: each result is a new array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from workbench.lower.writing.call import Call, atom
from workbench.lower.writing.memory import memory_order
from workbench.targets.jax.emitters.registry import emits, writes

writes(
    {
        "view.dtype": "{self!a}.view({dtype})",
        "t numpy_T": "{self!a}.T",
        "unsqueeze": "jnp.expand_dims({self}, {dim})",
        "repeat": "jnp.tile({self}, {repeats})",
        "alias lift_fresh_copy contiguous clone": "{self}",
        "detach": "lax.stop_gradient({self})",
        "unbind.int": "jnp.unstack({self}, axis={dim})",
        "diagonal": "jnp.diagonal({self}, offset={offset!s}, axis1={dim1!s}, axis2={dim2!s})",
        "diag": "jnp.diag({self}, {diagonal})",
        "diag_embed": "{_diag_embed}({self}, {offset!s}, {dim1!s}, {dim2!s})",
        "movedim.int movedim.intlist": "jnp.moveaxis({self}, {source}, {destination})",
        "pixel_shuffle": "{_pixel_shuffle}({self}, {upscale_factor})",
        "pixel_unshuffle": "{_pixel_unshuffle}({self}, {downscale_factor})",
        "channel_shuffle": "{_channel_shuffle}({self}, {groups})",
    },
    native=True,
)


def reshaped(call: Call, x: str, sizes: Sequence[Any]) -> str:
    """Return the array in another shape."""
    known = call.out.shape
    if all(isinstance(size, int) for size in known) and 0 in known:
        sizes = [int(size) for size in known]
    return f"{atom(x)}.reshape({', '.join(call.write(s) for s in sizes) or '()'})"


@emits("view", "_unsafe_view", "reshape", "_reshape_alias", native=True)
def _view(call: Call) -> str:
    sizes = call["size"] if "size" in call.arguments else call["shape"]
    return reshaped(call, call.tensor("self"), sizes)


@emits("permute", native=True)
def _permute(call: Call) -> str:
    rank = call.rank("self")
    axes = ", ".join(str(d % rank) for d in call["dims"])
    x = call.tensor("self")
    return f"{atom(x)}.transpose({axes})" if rank else x


@emits("transpose.int", native=True)
def _transpose(call: Call) -> str:
    x = call.tensor("self")
    if call.rank("self") == 0:
        return x
    return f"{atom(x)}.swapaxes({call['dim0']}, {call['dim1']})"


@emits("squeeze", "squeeze.dim", "squeeze.dims", native=True)
def _squeeze(call: Call) -> str:
    x, shape = call.tensor("self"), call.meta("self").shape
    dims = call["dim"] if call.has("dim") else list(range(len(shape)))
    dims = [dims] if isinstance(dims, int) else dims
    axes = [d % len(shape) for d in dims if len(shape) and shape[d] == 1]
    if not axes:
        return x
    return f"{atom(x)}.squeeze({axes[0] if len(axes) == 1 else tuple(axes)})"


@emits("expand", native=True)
def _expand(call: Call) -> str:
    x, wanted = call.tensor("self"), list(call["size"])
    held = call.meta("self").shape
    first = len(wanted) - len(held)
    for at, size in enumerate(wanted):
        if isinstance(size, int) and size == -1:
            known = held[at - first]
            wanted[at] = known if isinstance(known, int) else f"{x}.shape[{at - first}]"
    sizes = ", ".join(s if isinstance(s, str) else call.write(s) for s in wanted)
    return f"jnp.broadcast_to({x}, [{sizes}])"


@emits("expand_as", native=True)
def _expand_as(call: Call) -> str:
    return f"jnp.broadcast_to({call.tensor('self')}, {call.text('other')}.shape)"


@emits("repeat_interleave.self_int", native=True)
def _repeat_interleave(call: Call) -> str:
    axis = f", axis={call['dim']}" if call.has("dim") else ""
    return f"jnp.repeat({call.tensor('self')}, {call.text('repeats')}{axis})"


@emits("repeat_interleave.Tensor", native=True)
def _repeated_places(call: Call) -> str:
    """Return each position as often as its repeats say."""
    call.caveat("the size of the result depends on values: it runs eagerly, and not under jax.jit")
    repeats = call.tensor("repeats")
    places = f"jnp.arange({repeats}.shape[0], dtype={call.dtype_text()})"
    return f"jnp.repeat({places}, {repeats})"


@emits("flatten.using_ints", native=True)
def _flatten(call: Call) -> str:
    x, rank = call.tensor("self"), call.rank("self")
    first, last = (d % max(rank, 1) for d in (call["start_dim"], call["end_dim"]))
    sizes = [f"{x}.shape[{at}]" for at in range(rank)]
    known = call.meta("self").shape
    sizes = [str(k) if isinstance(k, int) else s for k, s in zip(known, sizes, strict=True)]
    if rank == 0 or 0 in [k for k in known if isinstance(k, int)]:
        return reshaped(call, x, list(call.out.shape))
    return f"{atom(x)}.reshape({', '.join([*sizes[:first], '-1', *sizes[last + 1 :]])})"


@emits("unflatten.int", native=True)
def _unflatten(call: Call) -> str:
    x, axis = call.tensor("self"), call.axis("dim")
    sizes = [f"*{x}.shape[:{axis}]"] if axis else []
    sizes += [call.write(size) for size in call["sizes"]]
    sizes += [f"*{x}.shape[{axis + 1}:]"] if axis + 1 < call.rank("self") else []
    return f"{atom(x)}.reshape({', '.join(sizes)})"


@emits("cat", native=True)
def _cat(call: Call) -> str:
    # torch ignores empty vectors of any rank.
    rank = call.out.dim()
    nodes = [n for n in call["tensors"] if rank == 1 or n.meta["val"].dim() == rank]
    parts = ", ".join(call.tensor_of(n, call.dtype) for n in nodes)
    return f"jnp.concatenate([{parts}], axis={call.text('dim')})"


@emits("stack", native=True)
def _stack(call: Call) -> str:
    parts = ", ".join(call.tensors("tensors", call.dtype))
    return f"jnp.stack([{parts}], axis={call.text('dim')})"


@emits(
    "split.Tensor",
    "split_with_sizes",
    "split.sizes",
    "chunk",
    "unsafe_chunk",
    "tensor_split.sections",
    "tensor_split.indices",
    "unsafe_split.Tensor",
    native=True,
)
def _split(call: Call) -> str:
    """Return a split at positions, which jnp takes instead of torch's sizes."""
    axis = call.axis("dim")
    sizes = [part.shape[axis] for part in call.value]
    x = call.tensor("self")
    if not all(isinstance(size, int) for size in sizes):
        if "split_sizes" in call.arguments:
            ends = call.write(call["split_sizes"][:-1])
            return f"jnp.split({x}, jnp.cumsum(jnp.array({ends})).tolist(), axis={axis})"
        if "split_size" not in call.arguments:
            call.refuse("parts of a dimension that is dynamic")
        size = call.text("split_size")
        return f"jnp.split({x}, range({size}, {x}.shape[{axis}], {size}), axis={axis})"
    places = [sum(int(size) for size in sizes[:at]) for at in range(1, len(sizes))]
    return f"jnp.split({x}, {places}, axis={axis})"


@emits("flip", native=True)
def _flip(call: Call) -> str:
    return f"jnp.flip({call.tensor('self')}, axis={tuple(call['dims'])})"


@emits("roll", native=True)
def _roll(call: Call) -> str:
    shifts, dims = call["shifts"], call["dims"]
    if not dims:
        return f"jnp.roll({call.tensor('self')}, {call.write(shifts[0])})"
    return f"jnp.roll({call.tensor('self')}, {call.write(shifts)}, axis={call.write(dims)})"


def _triangle(name: str) -> Any:
    def write(call: Call) -> str:
        return f"jnp.{name}({call.tensor('self')}, {call.text('diagonal')})"

    return write


emits("tril", native=True)(_triangle("tril"))
emits("triu", native=True)(_triangle("triu"))


@emits("unfold", native=True)
def _unfold(call: Call) -> str:
    if call.rank("self") == 0:
        call.refuse("unfold of a tensor without dimensions")
    place = f"{call.axis('dimension')}, {call.text('size')}, {call.text('step')}"
    return f"{call.helper('_windows')}({call.tensor('self')}, {place})"


@emits("as_strided", native=True)
def _as_strided(call: Call) -> str:
    order = memory_order(call.node, "JAX")
    x = atom(call.tensor("self"))
    if order != sorted(order):
        x = f"jnp.transpose({x}, {tuple(order)})"
    return f"{x}.reshape(-1)[{strided(call)}]"


def strided(call: Call) -> str:
    """Return the positions in memory of the elements of `as_strided`."""
    x, place = call.meta("self"), [call["size"], call["stride"], call["storage_offset"] or 0]
    if call.has("src"):
        places = torch.arange(x.numel()).as_strided(*place).flatten().tolist()
        if len(set(places)) < len(places):
            call.refuse("writing twice to one element")
    rest = f"{call.text('stride')}, {call.write(place[2])}"
    return f"{call.helper('_strided')}({call.text('size')}, {rest})"


@emits("constant_pad_nd", native=True)
def _constant_pad(call: Call) -> str:
    return _filled(call, call["value"])


@emits("pad", native=True)
def _pad(call: Call) -> str:
    mode = call["mode"]
    if mode == "constant":
        return _filled(call, call["value"] or 0)
    names = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}
    return _mirrored(call, names[mode], call["pad"])


@emits("reflection_pad1d", "reflection_pad2d", "reflection_pad3d", native=True)
def _reflection(call: Call) -> str:
    return _mirrored(call, "reflect", call["padding"])


@emits("replication_pad1d", "replication_pad2d", "replication_pad3d", native=True)
def _replication(call: Call) -> str:
    return _mirrored(call, "edge", call["padding"])


def _pairs(call: Call, pad: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Return the padding before and after each dimension, starting with the first."""
    pairs = [(pad[i], pad[i + 1]) for i in range(0, len(pad), 2)]
    pairs += [(0, 0)] * (call.rank("self") - len(pairs))
    return pairs[::-1]


def _written(call: Call, pairs: list[tuple[Any, Any]]) -> str:
    return f"[{', '.join(f'({call.write(a)}, {call.write(b)})' for a, b in pairs)}]"


def _filled(call: Call, value: Any) -> str:
    pairs = _pairs(call, call["pad"])
    x = call.tensor("self")
    if any(isinstance(n, int) and n < 0 for pair in pairs for n in pair):
        cut = ", ".join(
            f"{-a if a < 0 else ''}:{b if b < 0 else ''}" if isinstance(a, int) else ":"
            for a, b in pairs
        )
        x = f"{atom(x)}[{cut}]"
        pairs = [(max(a, 0), max(b, 0)) for a, b in pairs]
    if not call.dtype.is_floating_point and not call.dtype.is_complex:
        value = bool(value) if call.dtype is torch.bool else int(value)
    filled = "" if value == 0 else f", constant_values={call.write(value)}"
    return f"jnp.pad({x}, {_written(call, pairs)}{filled})"


def _mirrored(call: Call, mode: str, pad: Any) -> str:
    pairs = _pairs(call, pad)
    if any(isinstance(n, int) and n < 0 for pair in pairs for n in pair):
        call.refuse("padding that cuts and mirrors")
    return f'jnp.pad({call.tensor("self")}, {_written(call, pairs)}, mode="{mode}")'
