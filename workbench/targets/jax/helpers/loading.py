"""Batches of a data set, as torch's loader makes them."""

import math

import jax.numpy as jnp
import numpy as np


class TorchDataLoader:
    """The batches of a data set; they are shuffled anew in each epoch."""

    def __init__(
        self, dataset, batch_size=1, shuffle=False, drop_last=False, collate_fn=None, seed=0
    ):
        self.dataset, self.batch_size, self.shuffle = dataset, batch_size, shuffle
        self.drop_last, self.collate_fn = drop_last, collate_fn or torch_stacked
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        count = len(self.dataset) / self.batch_size
        return math.floor(count) if self.drop_last else math.ceil(count)

    def __iter__(self):
        order = np.arange(len(self.dataset))
        if self.shuffle:
            self.rng.shuffle(order)
        for batch in range(len(self)):
            places = order[batch * self.batch_size : (batch + 1) * self.batch_size]
            yield self.collate_fn([self.dataset[int(place)] for place in places])


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
