"""Packed sequences in padded form: a mask over steps replaces the shrinking batches.

The number of steps of a packed sequence depends on its lengths, which a graph does not know. So
while a model is traced, a `PackedSequence` holds the rows of all padded steps as `data`, time
first, and the lengths, repeated for each step, as `batch_sizes`. Recurrent layers run over all
steps and keep their state where a sequence has ended. Lengths that pass through NumPy or a list
stay tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor
from torch._higher_order_ops.scan import scan_op
from torch.fx.experimental.proxy_tensor import get_proxy_mode
from torch.nn.utils.rnn import PackedSequence


@contextmanager
def padded() -> Iterator[None]:
    """Trace packed sequences in padded form while open."""
    with ExitStack() as stack:
        for owner, name, stand_in in (
            (torch._VF, "_pack_padded_sequence", _pack),
            (torch._VF, "_pad_packed_sequence", _pad),
            *((kind, "forward", _run) for kind in (torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN)),
        ):
            chosen = _while_traced(getattr(owner, name), stand_in)
            stack.enter_context(patch.object(owner, name, chosen))
        stack.enter_context(patch.object(Tensor, "numpy", _numpy(Tensor.numpy)))
        stack.enter_context(patch.object(torch, "as_tensor", _as_tensor(torch.as_tensor)))
        yield


def _numpy(original: Any) -> Any:
    def numpy(x: Tensor, **kwargs: Any) -> Any:
        lengths = x.dtype is torch.int64 and x.dim() == 1 and get_proxy_mode() is not None
        return x.detach() if lengths else original(x, **kwargs)

    return numpy


def _as_tensor(original: Any) -> Any:
    def as_tensor(data: Any, *args: Any, **kwargs: Any) -> Any:
        traced = (Tensor, torch.SymInt)
        if isinstance(data, list) and any(isinstance(each, traced) for each in data):
            numbers = (torch.scalar_tensor(_item(each), dtype=torch.int64) for each in data)
            data = torch.stack(list(numbers))
        return original(data, *args, **kwargs)

    return as_tensor


def _item(number: Any) -> Any:
    return number.item() if isinstance(number, Tensor) else number


def _while_traced(original: Any, stand_in: Any) -> Any:
    def chosen(*args: Any, **kwargs: Any) -> Any:
        packed = stand_in is not _run or any(isinstance(each, PackedSequence) for each in args)
        traced = packed and get_proxy_mode() is not None
        return (stand_in if traced else original)(*args, **kwargs)

    return chosen


def _pack(x: Tensor, lengths: Tensor, batch_first: bool) -> tuple[Tensor, Tensor]:
    x = x.transpose(0, 1) if batch_first else x
    # Only the data determines this; the example's answer is checked at every call.
    steps = next(steps for steps in range(x.shape[0], 0, -1) if lengths.max() == steps)
    return x[:steps].flatten(0, 1), lengths.expand(steps, -1)


def _pad(
    x: Tensor, lengths: Tensor, batch_first: bool, value: float, steps: int
) -> tuple[Tensor, Tensor]:
    x = x.reshape(*lengths.shape, *x.shape[1:])
    x = x.masked_fill(~_is_there(x, lengths), value)
    if steps > x.shape[0]:
        x = torch.cat([x, x.new_full((steps - x.shape[0], *x.shape[1:]), value)])
    return x.transpose(0, 1) if batch_first else x, lengths[0]


def _is_there(x: Tensor, lengths: Tensor) -> Tensor:
    """Return which steps are within their sequence, broadcast over features."""
    steps = torch.arange(x.shape[0], device=x.device)[:, None] < lengths[0].to(x.device)
    return steps.view(*steps.shape, *[1] * (x.dim() - 2))


def _run(rnn: Any, packed: PackedSequence, hx: Any = None) -> tuple[PackedSequence, Any]:
    """Run a recurrent layer over padded steps."""
    x, lengths, order, back = packed
    x = x.reshape(*lengths.shape, *x.shape[1:])
    there = _is_there(x, lengths)
    directions = 2 if rnn.bidirectional else 1
    if hx is None:
        sizes = [rnn.proj_size or rnn.hidden_size, rnn.hidden_size]
        shape = (rnn.num_layers * directions, x.shape[1])
        states = [x.new_zeros(*shape, size) for size in sizes[: 2 if rnn.mode == "LSTM" else 1]]
    else:
        hx = rnn.permute_hidden(hx, order)
        states = list(hx) if rnn.mode == "LSTM" else [hx]
    last: list[list[Tensor]] = [[] for _ in states]
    for layer in range(rnn.num_layers):
        outs = []
        for direction in range(directions):
            place = layer * directions + direction
            start = [state[place] for state in states]
            weights, back_to_front = rnn.all_weights[place], direction == 1
            found, out = _steps(
                rnn, weights, start, _turned(x, back_to_front), _turned(there, back_to_front)
            )
            outs.append(_turned(out, back_to_front))
            for each, state in zip(last, found, strict=True):
                each.append(state)
        x = torch.cat(outs, -1) if directions == 2 else outs[0]
        if layer + 1 < rnn.num_layers:
            x = F.dropout(x, rnn.dropout, rnn.training)
    ends = tuple(torch.stack(each) for each in last)
    hidden = rnn.permute_hidden(ends if rnn.mode == "LSTM" else ends[0], back)
    return PackedSequence(x.flatten(0, 1), lengths, order, back), hidden


def _turned(x: Tensor, back_to_front: bool) -> Tensor:
    return x.flip(0) if back_to_front else x


def _steps(
    rnn: Any, weights: list[Tensor], start: list[Tensor], x: Tensor, there: Tensor
) -> tuple[list[Tensor], Tensor]:
    """Run one layer in one direction; return the last states and the outputs of each step."""
    into, own, *rest = weights
    bias, fixed = (rest[0], rest[1:]) if rnn.bias else (None, rest)
    count = len(start)

    def step(*values: Tensor) -> list[Tensor]:
        state, (given, kept, own, *fixed) = values[:count], values[count:]
        new = _CELLS[rnn.mode](
            given, F.linear(state[0], own, fixed[0] if rnn.bias else None), state
        )
        if rnn.proj_size:
            new[0] = F.linear(new[0], fixed[-1])
        states = [torch.where(kept, a, b) for a, b in zip(new, state, strict=True)]
        return [*states, torch.where(kept, new[0], 0)]

    *found, out = scan_op(step, start, [F.linear(x, into, bias), there], [own, *fixed])
    return found, out


def _lstm(given: Tensor, own: Tensor, state: Any) -> list[Tensor]:
    i, f, g, o = (given + own).chunk(4, 1)
    cell = f.sigmoid() * state[1] + i.sigmoid() * g.tanh()
    return [o.sigmoid() * cell.tanh(), cell]


def _gru(given: Tensor, own: Tensor, state: Any) -> list[Tensor]:
    (given_r, given_z, given_n), (r, z, n) = given.chunk(3, 1), own.chunk(3, 1)
    new = (given_n + (given_r + r).sigmoid() * n).tanh()
    return [new + (given_z + z).sigmoid() * (state[0] - new)]


_CELLS: dict[str, Callable[[Tensor, Tensor, Any], list[Tensor]]] = {
    "LSTM": _lstm,
    "GRU": _gru,
    "RNN_TANH": lambda given, own, _: [(given + own).tanh()],
    "RNN_RELU": lambda given, own, _: [(given + own).relu()],
}
