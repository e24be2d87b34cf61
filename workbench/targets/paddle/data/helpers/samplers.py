"""Samplers that draw as torch's do where they are given a generator."""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy
import paddle

from workbench.targets.paddle.modules.helpers.class_names import torch_named


class TorchRandomSources:
    """The random numbers of each generator: what torch would draw after the generator's seed."""

    known: ClassVar[Any] = weakref.WeakKeyDictionary()


def torch_random_source(generator: Any) -> Any:
    """Random numbers after a generator's seed, one use going on where the last one ended."""
    if generator is None:
        return numpy.random.RandomState(int(paddle.randint(0, 2**31 - 1, [1]).item()))
    mark, source = TorchRandomSources.known.get(generator, (None, None))
    if source is None or generator.initial_seed() != mark:
        source = numpy.random.RandomState(generator.initial_seed() % 2**32)
        # Another seed stands for "in use", so that seeding it again begins anew.
        mark = generator.random() % 2**31
        generator.manual_seed(mark)
        TorchRandomSources.known[generator] = (mark, source)
    return source


def torch_permutation(count: int, source: Any) -> list[int]:
    """A random order of `range(count)`, shuffled step by step as torch does on a CPU."""
    order = list(range(count))
    for index in range(count - 1):
        other = index + int(source.randint(0, 2**32, dtype=numpy.uint32)) % (count - index)
        order[index], order[other] = order[other], order[index]
    return order


@torch_named
class TorchBatchSampler(paddle.io.Sampler):  # type: ignore[type-arg]
    """`torch.utils.data.BatchSampler`: any iterable of indices in lists of `batch_size`."""

    def __init__(self, sampler: Any, batch_size: int, drop_last: bool) -> None:
        if batch_size <= 0:
            raise ValueError(f"batch_size should be a positive integer value, but got {batch_size}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        batch = []
        for index in self.sampler:
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self) -> int:
        count = len(self.sampler)
        return (count if self.drop_last else count + self.batch_size - 1) // self.batch_size


@torch_named
class TorchRandomSampler(paddle.io.Sampler):  # type: ignore[type-arg]
    """`torch.utils.data.RandomSampler`."""

    def __init__(
        self,
        data_source: Any,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Any = None,
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self.given_samples = num_samples
        self.generator = generator
        if self.num_samples <= 0:
            raise ValueError(f"num_samples should be positive, but got {self.num_samples}")

    @property
    def num_samples(self) -> int:
        return len(self.data_source) if self.given_samples is None else self.given_samples

    def __iter__(self) -> Iterator[int]:
        count, source = len(self.data_source), torch_random_source(self.generator)
        if self.replacement:
            for _ in range(self.num_samples):
                yield int(source.randint(0, 2**32, dtype=numpy.uint32)) % count
            return
        for _ in range(self.num_samples // count):
            yield from torch_permutation(count, source)
        # torch draws one more order even where nothing of it is left to give.
        yield from torch_permutation(count, source)[: self.num_samples % count]

    def __len__(self) -> int:
        return self.num_samples


@torch_named
class TorchSubsetRandomSampler(paddle.io.Sampler):  # type: ignore[type-arg]
    """`torch.utils.data.SubsetRandomSampler`."""

    def __init__(self, indices: Any, generator: Any = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[Any]:
        source = torch_random_source(self.generator)
        for position in torch_permutation(len(self.indices), source):
            yield self.indices[position]

    def __len__(self) -> int:
        return len(self.indices)


@torch_named
class TorchWeightedRandomSampler(paddle.io.Sampler):  # type: ignore[type-arg]
    """`torch.utils.data.WeightedRandomSampler`; it draws other numbers than torch."""

    def __init__(
        self, weights: Any, num_samples: int, replacement: bool = True, generator: Any = None
    ) -> None:
        if num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer, but got {num_samples}")
        self.weights = paddle.to_tensor(weights, dtype="float64")
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        weights = self.weights.numpy()
        source = torch_random_source(self.generator)
        chances = weights / weights.sum()
        drawn = source.choice(len(chances), self.num_samples, self.replacement, chances)
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


@torch_named
class TorchDistributedSampler(paddle.io.Sampler):  # type: ignore[type-arg]
    """`torch.utils.data.DistributedSampler`: each process sees its own share, in one order."""

    def __init__(
        self,
        dataset: Any,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        self.dataset = dataset
        replicas = paddle.distributed.get_world_size() if num_replicas is None else num_replicas
        self.num_replicas = replicas
        self.rank = paddle.distributed.get_rank() if rank is None else rank
        if not 0 <= self.rank < replicas:
            raise ValueError(f"Invalid rank {self.rank}, rank should be in [0, {replicas - 1}]")
        self.epoch = 0
        self.drop_last = drop_last
        if drop_last and len(dataset) % replicas != 0:
            self.num_samples = math.ceil((len(dataset) - replicas) / replicas)
        else:
            self.num_samples = math.ceil(len(dataset) / replicas)
        self.total_size = self.num_samples * replicas
        self.shuffle = shuffle
        self.seed = seed

    def __iter__(self) -> Iterator[int]:
        order = list(range(len(self.dataset)))
        if self.shuffle:
            source = numpy.random.RandomState((self.seed + self.epoch) % 2**32)
            order = torch_permutation(len(order), source)
        if self.drop_last:
            order = order[: self.total_size]
        else:
            repeats = math.ceil(self.total_size / max(1, len(order)))
            order = (order * repeats)[: self.total_size]
        return iter(order[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch
