"""Sequences of several lengths for recurrent layers."""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np


class TorchPacked(NamedTuple):
    """Sequences with the longest first, step after step, as torch packs them."""

    data: object
    batch_sizes: object
    sorted_indices: object
    unsorted_indices: object

    @property
    def order(self):
        count = int(self.batch_sizes[0])
        return np.arange(count) if self.sorted_indices is None else np.asarray(self.sorted_indices)

    @property
    def lengths(self):
        """The number of steps of each sequence."""
        places = np.argsort(self.order)
        return (np.asarray(self.batch_sizes)[:, None] > places).sum(0)

    @property
    def places(self):
        """The step and the sequence of each item."""
        inside = np.arange(len(self.batch_sizes))[:, None] < self.lengths[self.order]
        steps, places = np.nonzero(inside)
        return steps, self.order[places]

    @property
    def padded(self):
        """The sequences side by side, time first, with zeros after their ends."""
        shape = (len(self.batch_sizes), len(self.order), *self.data.shape[1:])
        return jnp.zeros(shape, self.data.dtype).at[self.places].set(self.data)

    def holding(self, padded):
        """The same lengths with other values."""
        return self._replace(data=padded[self.places])


def torch_pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    lengths = np.asarray(lengths)
    if enforce_sorted and (np.diff(lengths) > 0).any():
        raise RuntimeError("`lengths` array must be sorted in decreasing order")
    if lengths.min() <= 0:
        raise RuntimeError("Length of all samples has to be greater than 0")
    padded = input.swapaxes(0, 1) if batch_first else input
    order = np.argsort(-lengths, kind="stable")
    inside = np.arange(lengths.max())[:, None] < lengths[order]
    steps, places = np.nonzero(inside)
    indices = (None, None) if enforce_sorted else (jnp.array(order), jnp.array(np.argsort(order)))
    return TorchPacked(padded[steps, order[places]], jnp.array(inside.sum(1)), *indices)


def torch_pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    x, lengths = sequence.padded, sequence.lengths
    inside = np.arange(len(x))[:, None] < lengths
    x = jnp.where(inside.reshape(*inside.shape, *[1] * (x.ndim - 2)), x, padding_value)
    if total_length is not None:
        missing = total_length - len(x)
        x = jnp.pad(x, [(0, missing)] + [(0, 0)] * (x.ndim - 1), constant_values=padding_value)
    return x.swapaxes(0, 1) if batch_first else x, jnp.array(lengths)


def torch_pack_sequence(sequences, enforce_sorted=True):
    lengths = [len(one) for one in sequences]
    most = max(lengths)
    rows = [jnp.pad(x, [(0, most - len(x))] + [(0, 0)] * (x.ndim - 1)) for x in sequences]
    return torch_pack_padded_sequence(jnp.stack(rows, 1), lengths, enforce_sorted=enforce_sorted)


def torch_unpack_sequence(packed):
    padded = packed.padded
    return [padded[:length, place] for place, length in enumerate(packed.lengths)]
