"""Packed sequences as in `torch.nn.utils.rnn`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import paddle


class TorchPackedSequence(NamedTuple):
    """Sequences of different lengths, step by step: how many go on at each step, and the order."""

    data: paddle.Tensor
    batch_sizes: paddle.Tensor
    sorted_indices: paddle.Tensor | None = None
    unsorted_indices: paddle.Tensor | None = None

    def to(self, *args: Any, **kwargs: Any) -> Any:
        return self._replace(data=self.data.to(*args, **kwargs))

    def cpu(self) -> Any:
        return self._replace(data=self.data.cpu())

    @property
    def is_cuda(self) -> bool:
        return bool(self.data.place.is_gpu_place())

    def double(self) -> Any:
        return self._replace(data=self.data.astype("float64"))

    def float(self) -> Any:
        return self._replace(data=self.data.astype("float32"))

    def half(self) -> Any:
        return self._replace(data=self.data.astype("float16"))

    def long(self) -> Any:
        return self._replace(data=self.data.astype("int64"))

    def int(self) -> Any:
        return self._replace(data=self.data.astype("int32"))

    def short(self) -> Any:
        return self._replace(data=self.data.astype("int16"))

    def char(self) -> Any:
        return self._replace(data=self.data.astype("int8"))

    def byte(self) -> Any:
        return self._replace(data=self.data.astype("uint8"))


def torch_pack_padded_sequence(
    input: paddle.Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> TorchPackedSequence:
    """`pack_padded_sequence`: longest first, unless they are to be sorted."""
    if isinstance(lengths, paddle.Tensor):
        lengths = lengths.tolist()
    counts = paddle.to_tensor(lengths, dtype="int64").cpu()
    order = back = None
    if not enforce_sorted:
        order = paddle.argsort(counts, descending=True, stable=True)
        back = paddle.argsort(order)
        counts = counts[order]
        input = paddle.index_select(input, order, axis=0 if batch_first else 1)
    sizes = counts.tolist()
    if sizes != sorted(sizes, reverse=True):
        raise RuntimeError("lengths must be sorted in decreasing order when enforce_sorted is True")
    if min(sizes, default=1) <= 0:
        raise RuntimeError("every sequence must have at least one step")
    steps = input.transpose([1, 0, *range(2, input.ndim)]) if batch_first else input
    going = [sum(size > time for size in sizes) for time in range(max(sizes))]
    data = paddle.concat([steps[time, :count] for time, count in enumerate(going)])
    return TorchPackedSequence(data, paddle.to_tensor(going, dtype="int64"), order, back)


def torch_pad_packed_sequence(
    sequence: TorchPackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[paddle.Tensor, paddle.Tensor]:
    """`pad_packed_sequence`: the padded tensor and the lengths, in the order given at first."""
    going = sequence.batch_sizes.tolist()
    width = going[0]
    if total_length is not None and total_length < len(going):
        raise ValueError("total_length must be at least the length of the longest sequence")
    rest = list(sequence.data.shape[1:])
    rows, start = [], 0
    for count in going:
        row = sequence.data[start : start + count]
        if count < width:
            more = paddle.full([width - count, *rest], padding_value, dtype=row.dtype)
            row = paddle.concat([row, more])
        rows.append(row)
        start += count
    blank = paddle.full([width, *rest], padding_value, dtype=sequence.data.dtype)
    rows += [blank] * ((total_length or 0) - len(going))
    padded = paddle.stack(rows, axis=1 if batch_first else 0)
    lengths = paddle.to_tensor(
        [sum(count > row for count in going) for row in range(width)], dtype="int64"
    )
    if sequence.unsorted_indices is not None:
        axis = 0 if batch_first else 1
        padded = paddle.index_select(padded, sequence.unsorted_indices, axis=axis)
        lengths = lengths[sequence.unsorted_indices]
    return padded, lengths


def torch_pad_sequence(
    sequences: Sequence[paddle.Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> paddle.Tensor:
    """`pad_sequence`."""
    longest = max(sequence.shape[0] for sequence in sequences)
    rows = []
    for sequence in sequences:
        shape = [longest - sequence.shape[0], *sequence.shape[1:]]
        blank = paddle.full(shape, padding_value, dtype=sequence.dtype)
        parts = [sequence, blank] if padding_side == "right" else [blank, sequence]
        rows.append(paddle.concat(parts) if shape[0] else sequence)
    return paddle.stack(rows, axis=0 if batch_first else 1)


def torch_pack_sequence(
    sequences: Sequence[paddle.Tensor], enforce_sorted: bool = True
) -> TorchPackedSequence:
    """`pack_sequence`."""
    lengths = [sequence.shape[0] for sequence in sequences]
    padded = torch_pad_sequence(sequences)
    return torch_pack_padded_sequence(padded, lengths, enforce_sorted=enforce_sorted)


def torch_unpad_sequence(
    padded_sequences: paddle.Tensor, lengths: paddle.Tensor, batch_first: bool = False
) -> list[paddle.Tensor]:
    """`unpad_sequence`, which leaves sequences that come time first with their batch in front."""
    if not batch_first:
        padded_sequences.transpose_([1, 0, *range(2, padded_sequences.ndim)])
    rows = paddle.unstack(padded_sequences, axis=0)
    return [row[:length] for row, length in zip(rows, lengths.tolist(), strict=True)]


def torch_unpack_sequence(packed_sequences: TorchPackedSequence) -> list[paddle.Tensor]:
    """`unpack_sequence`."""
    padded, lengths = torch_pad_packed_sequence(packed_sequences, batch_first=True)
    return torch_unpad_sequence(padded, lengths, batch_first=True)
