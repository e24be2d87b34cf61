"""Paddle's loader, with batches of any kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy
import paddle


def torch_collate(batch: Any) -> Any:
    """`default_collate`: one batch of samples."""
    first = batch[0]
    if isinstance(first, paddle.Tensor):
        return paddle.stack(batch)
    if isinstance(first, int | float | numpy.ndarray | numpy.generic):
        return paddle.to_tensor(numpy.stack(batch))
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, Mapping):
        return {key: torch_collate([sample[key] for sample in batch]) for key in first}
    if not isinstance(first, Sequence):
        raise TypeError(f"default_collate cannot make a batch of {type(first)}")
    if any(len(sample) != len(first) for sample in batch):
        raise RuntimeError("each element in list of batch should be of equal size")
    parts = [torch_collate(part) for part in zip(*batch, strict=True)]
    return type(first)(*parts) if hasattr(first, "_fields") else parts


class TorchPlainLoader(paddle.io.DataLoader):
    """Paddle's loader, which makes batches of any kind one by one, and raises what they raise."""

    def __iter__(self) -> Iterator[Any]:
        collate = self.collate_fn or torch_collate
        for indices in self.batch_sampler:
            yield collate([self.dataset[index] for index in indices])
