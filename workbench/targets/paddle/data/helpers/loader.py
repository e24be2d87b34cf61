"""A data loader whose batches look as torch's: tensors, dtypes, lists and tuples."""

from __future__ import annotations

import collections.abc
import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import paddle

from workbench.targets.paddle.data.helpers.samplers import (
    TorchBatchSampler,
    TorchRandomSampler,
    torch_random_source,
)
from workbench.targets.paddle.data.helpers.workers import torch_worker_batches
from workbench.targets.paddle.modules.helpers.class_names import torch_named


def torch_default_collate(batch: Any) -> Any:
    """`default_collate`: one batch of samples; floats become float64, tuples become lists."""
    first = batch[0]
    if isinstance(first, paddle.Tensor):
        if any(item.shape != first.shape for item in batch):  # Paddle's error is another kind
            raise RuntimeError("stack expects each tensor to be equal size")
        return paddle.stack(list(batch), axis=0)
    if isinstance(first, numpy.ndarray):
        if first.dtype.kind in "SUO":
            raise TypeError(f"default_collate cannot make a tensor of {first.dtype} arrays")
        return paddle.stack([paddle.to_tensor(item) for item in batch], axis=0)
    if isinstance(first, bool | int | numpy.bool_ | numpy.number) or type(first) is float:
        kind = "float64" if type(first) is float else None
        return paddle.to_tensor(numpy.asarray(batch, dtype=kind))
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, collections.abc.Mapping):
        merged = {key: torch_default_collate([item[key] for item in batch]) for key in first}
        return torch_like(first, merged)
    if isinstance(first, collections.abc.Sequence):
        if any(len(item) != len(first) for item in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        parts = [torch_default_collate(part) for part in zip(*batch, strict=True)]
        return torch_like(first, parts)
    raise TypeError(f"default_collate cannot make a batch of {type(first)}")


def torch_default_convert(data: Any) -> Any:
    """`default_convert`: arrays to tensors, inside lists and dicts as well."""
    if isinstance(data, numpy.ndarray | numpy.bool_ | numpy.number):
        return data if numpy.asarray(data).dtype.kind in "SUO" else paddle.to_tensor(data)
    if isinstance(data, collections.abc.Mapping):
        return torch_like(data, {key: torch_default_convert(data[key]) for key in data})
    if isinstance(data, collections.abc.Sequence) and not isinstance(data, str | bytes):
        return torch_like(data, [torch_default_convert(item) for item in data])
    return data


def torch_like(original: Any, content: Any) -> Any:
    """New content in a collection of the original's type; plain tuples become lists."""
    if isinstance(original, tuple):
        return type(original)(*content) if hasattr(original, "_fields") else content
    try:
        if isinstance(original, collections.abc.MutableMapping):
            changed: Any = copy.copy(original)
            changed.update(content)
            return changed
        if isinstance(original, collections.abc.MutableSequence):
            changed = copy.copy(original)
            for index, item in enumerate(content):
                changed[index] = item
            return changed
        return type(original)(content)
    except TypeError:
        return content


@torch_named
class TorchDataLoader:
    """`torch.utils.data.DataLoader`.

    Batches come in torch's order and form. Worker processes are forked, as torch does on Linux;
    memory is never pinned, which changes the speed of copies alone.
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        batch_sampler: Any = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        self.iterable = isinstance(dataset, paddle.io.IterableDataset)
        if self.iterable and (shuffle or sampler is not None or batch_sampler is not None):
            raise ValueError("a DataLoader of an IterableDataset takes no shuffle and no sampler")
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, "
                    "sampler, and drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None is mutually exclusive with drop_last")
        if sampler is None and not self.iterable:
            if shuffle:
                sampler = TorchRandomSampler(dataset, generator=generator)
            else:
                sampler = paddle.io.SequenceSampler(dataset)
        if batch_size is not None and not self.iterable:
            batch_sampler = TorchBatchSampler(sampler, batch_size, drop_last)
        self.batched = batch_size is not None or batch_sampler is not None
        self.dataset = dataset
        self.batch_size = batch_size
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.num_workers = num_workers
        plain = torch_default_collate if self.batched else torch_default_convert
        self.collate_fn = plain if collate_fn is None else collate_fn
        self.pin_memory = pin_memory
        self.drop_last = drop_last
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.generator = generator
        self.prefetch_factor = 2 if prefetch_factor is None and num_workers > 0 else prefetch_factor
        self.persistent_workers = persistent_workers

    def __class_getitem__(cls, item: Any) -> Any:
        return cls  # annotations may name the type of batches

    def __len__(self) -> int:
        if self.batch_sampler is not None:
            return len(self.batch_sampler)
        count = len(self.dataset if self.iterable else self.sampler)
        if self.batch_size is None:
            return count
        return (count if self.drop_last else count + self.batch_size - 1) // self.batch_size

    def __iter__(self) -> Iterator[Any]:
        if self.generator is not None:
            # torch draws the workers' seed first, of two words, where there are none too.
            torch_random_source(self.generator).randint(0, 2**32, 2, dtype=numpy.uint32)
        if self.num_workers > 0:
            return torch_worker_batches(self)
        if self.iterable:
            return self.batches_of_stream()
        order = self.batch_sampler if self.batched else self.sampler
        return (self.load(index) for index in order)

    def load(self, index: Any) -> Any:
        """The batch of a list of indices, or one sample where nothing is batched."""
        if not self.batched:
            return self.collate_fn(self.dataset[index])
        if hasattr(self.dataset, "__getitems__"):
            return self.collate_fn(self.dataset.__getitems__(index))
        return self.collate_fn([self.dataset[position] for position in index])

    def batches_of_stream(self) -> Iterator[Any]:
        """The batches of an iterable dataset."""
        if not self.batched:
            for sample in self.dataset:
                yield self.collate_fn(sample)
            return
        batch = []
        for sample in self.dataset:
            batch.append(sample)
            if len(batch) == self.batch_size:
                yield self.collate_fn(batch)
                batch = []
        if batch and not self.drop_last:
            yield self.collate_fn(batch)
