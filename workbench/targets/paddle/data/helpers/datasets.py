"""Datasets where Paddle's own differ from torch's."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import paddle

from workbench.targets.paddle.data.helpers.samplers import torch_permutation, torch_random_source
from workbench.targets.paddle.modules.helpers.class_names import torch_named


@torch_named
class TorchIterableDataset(paddle.io.IterableDataset):  # type: ignore[type-arg]
    """`torch.utils.data.IterableDataset`: `list()` takes it, as it takes torch's."""

    def __class_getitem__(cls, item: Any) -> Any:
        return cls  # a base class may name the type of samples

    def __len__(self) -> int:  # type: ignore[override]
        raise TypeError(f"object of type {type(self).__name__!r} has no len()")


@torch_named
class TorchChainDataset(TorchIterableDataset):
    """`torch.utils.data.ChainDataset`."""

    def __init__(self, datasets: Any) -> None:
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        for dataset in self.datasets:
            yield from dataset

    def __len__(self) -> int:  # type: ignore[override]
        return sum(len(dataset) for dataset in self.datasets)


def torch_joined_datasets(left: Any, right: Any) -> Any:
    """`left + right` of two datasets: one after the other."""
    if isinstance(left, paddle.io.IterableDataset):
        return TorchChainDataset([left, right])
    return paddle.io.ConcatDataset([left, right])


@torch_named
class TorchStackDataset(paddle.io.Dataset):  # type: ignore[type-arg]
    """`torch.utils.data.StackDataset`: samples of several datasets side by side."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if bool(args) == bool(kwargs):
            raise ValueError("StackDataset takes either positional or keyword datasets")
        self.datasets: Any = args or kwargs
        lengths = {len(dataset) for dataset in args or kwargs.values()}
        if len(lengths) != 1:
            raise ValueError("Size mismatch between datasets")

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: dataset[index] for name, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)

    def __len__(self) -> int:
        datasets = self.datasets
        return len(next(iter(datasets.values() if isinstance(datasets, dict) else datasets)))


def torch_random_split(dataset: Any, lengths: Any, generator: Any = None) -> list[Any]:
    """`torch.utils.data.random_split`; a seeded generator splits as it does in torch."""
    count, total = len(dataset), sum(lengths)
    if math.isclose(total, 1) and total <= 1:
        lengths = [math.floor(count * part) for part in lengths]
        for extra in range(count - sum(lengths)):
            lengths[extra % len(lengths)] += 1
    if sum(lengths) != count:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    if generator is None:
        order = paddle.randperm(count).tolist()
    else:
        order = torch_permutation(count, torch_random_source(generator))
    ends = [sum(lengths[: index + 1]) for index in range(len(lengths))]
    return [
        paddle.io.Subset(dataset, order[end - length : end])
        for end, length in zip(ends, lengths, strict=True)
    ]
