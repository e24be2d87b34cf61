"""Batches of a data set, as torch's loader makes them."""

import itertools
import math

import jax.numpy as jnp
import numpy as np


class TorchDataLoader:
    """The batches of a data set; they are shuffled anew in each epoch."""

    def __init__(
        self,
        dataset,
        batch_size=1,
        shuffle=False,
        drop_last=False,
        collate_fn=None,
        seed=0,
        sampler=None,
        batch_sampler=None,
    ):
        self.dataset, self.batch_size, self.shuffle = dataset, batch_size, shuffle
        self.drop_last, self.collate_fn = drop_last, collate_fn or torch_stacked
        self.sampler, self.batch_sampler = sampler, batch_sampler
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        if self.batch_sampler is not None:
            return len(self.batch_sampler)
        count = len(self.dataset if self.sampler is None else self.sampler) / self.batch_size
        return math.floor(count) if self.drop_last else math.ceil(count)

    def __iter__(self):
        if not hasattr(self.dataset, "__getitem__"):  # an iterable data set
            places = iter(self.dataset)
        elif self.batch_sampler is not None:
            for places in self.batch_sampler:
                yield self.collate_fn([self.dataset[place] for place in places])
            return
        elif self.sampler is not None:
            places = (self.dataset[place] for place in self.sampler)
        else:
            order = np.arange(len(self.dataset))
            if self.shuffle:
                self.rng.shuffle(order)
            places = (self.dataset[int(place)] for place in order)
        while items := list(itertools.islice(places, self.batch_size)):
            if len(items) == self.batch_size or not self.drop_last:
                yield self.collate_fn(items)


def torch_stacked(items):
    """Items of one batch as arrays with one dimension more, in tuples and dicts as they are."""
    first = items[0]
    if isinstance(first, (tuple, list)):
        return [torch_stacked(parts) for parts in zip(*items, strict=True)]
    if isinstance(first, dict):
        return {name: torch_stacked([item[name] for item in items]) for name in first}
    return list(items) if isinstance(first, (str, bytes)) else jnp.asarray(np.stack(items))


class TorchTensorDataset:
    """Arrays whose first dimension counts the items."""

    def __init__(self, *tensors):
        self.tensors = tensors

    def __len__(self):
        return len(self.tensors[0])

    def __getitem__(self, place):
        return tuple(tensor[place] for tensor in self.tensors)


class TorchSubset:
    """Some items of a data set."""

    def __init__(self, dataset, indices):
        self.dataset, self.indices = dataset, indices

    def __len__(self):
        return len(self.indices)

    def __getitem__(self, place):
        if isinstance(place, list):
            return self.dataset[[self.indices[one] for one in place]]
        return self.dataset[self.indices[place]]


class TorchConcatDataset:
    """Data sets one after the other."""

    def __init__(self, datasets):
        self.datasets = list(datasets)
        self.cumulative_sizes = list(itertools.accumulate(map(len, self.datasets)))

    def __len__(self):
        return self.cumulative_sizes[-1]

    def __getitem__(self, place):
        place = place + len(self) if place < 0 else place
        before = 0
        for dataset, end in zip(self.datasets, self.cumulative_sizes, strict=True):
            if place < end:
                return dataset[place - before]
            before = end
        raise IndexError(place)


class TorchBatchSampler:
    """The places of a sampler in batches."""

    def __init__(self, sampler, batch_size, drop_last):
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __len__(self):
        count = len(self.sampler) / self.batch_size
        return math.floor(count) if self.drop_last else math.ceil(count)

    def __iter__(self):
        places = iter(self.sampler)
        while batch := list(itertools.islice(places, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch
