"""The tensors of two models, which a certificate records so that checkpoints convert without them.

For the original: the names, dtypes and shapes of its state. For the port: the same, and where its
state has each tensor of torch's counterpart, in which order of dimensions. That is found by writing
random values through the port's layers and reading its state.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from workbench.targets.port import Ports, PortTensor
from workbench.verify.pairing.bound import Pair
from workbench.verify.pairing.candidates import held_once, tensors_of
from workbench.weights.streaming import CODES, DTYPES

_MOST_AXES = 5
_SMALL = 1 << 18  # bytes of a constant that a certificate contains


@dataclass(frozen=True, slots=True)
class Form:
    """The dtype and the shape of a tensor."""

    dtype: torch.dtype
    shape: tuple[int, ...]

    def empty(self) -> torch.Tensor:
        """Return a tensor of this form that has no memory."""
        return torch.empty(self.shape, dtype=self.dtype, device="meta")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a port's state has a tensor of torch's counterpart.

    Attributes:
        shape: its shape in torch's layout.
        axes: the order in which the dimensions of each part come in torch's layout.
        keys: for each part its names in the state; parts follow along the first dimension.
    """

    shape: tuple[int, ...]
    axes: tuple[int, ...]
    keys: tuple[tuple[str, ...], ...]

    def split(self, whole: torch.Tensor, forms: Mapping[str, Form]) -> dict[str, torch.Tensor]:
        """Return the state's tensors for a value in torch's layout."""
        back = [self.axes.index(axis) for axis in range(len(self.axes))]
        found = {}
        sizes = [[forms[names[0]].shape[axis] for axis in self.axes] for names in self.keys]
        lengths = [size[0] if size else 1 for size in sizes]
        parts = torch.split(whole, lengths) if len(sizes) > 1 else (whole,)
        for names, size, part in zip(self.keys, sizes, parts, strict=True):
            value = part.reshape(size).permute(back).to(forms[names[0]].dtype).contiguous()
            found.update(dict.fromkeys(names, value))
        return found

    def join(self, parts: Sequence[torch.Tensor]) -> torch.Tensor:
        """Return the value in torch's layout of the state's tensors."""
        return _joined(parts, self.axes).reshape(self.shape)


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a certificate records of both models' tensors.

    Attributes:
        ours: the forms of the original's state, and of other tensors that pairs name.
        unsaved: the names of these others.
        ties: for further names of a tensor its first one.
        counts: numbers of batches that their BatchNorm never uses.
        constants: hashes of the original's buffers that no pair has.
        fills: for entries of both states that no pair has: the number of which they consist.
        values: for other small ones of the original: their bytes, compressed, as text.
        theirs: the forms of the port's state.
        places: where it has the tensors of torch's counterpart.
    """

    ours: dict[str, Form]
    unsaved: frozenset[str]
    ties: dict[str, str]
    counts: frozenset[str]
    constants: dict[str, str]
    fills: tuple[dict[str, float], dict[str, float]]
    values: dict[str, str]
    theirs: dict[str, Form]
    places: dict[str, Place]

    def makes_port(self, pairs: Sequence[Pair]) -> bool:
        """Return whether the pairs and the record determine the port's whole state."""
        given = [pair for pair in pairs if not self.unsaved.intersection(pair.ours)]
        if not self._knows(pairs):
            return False
        names = [self.places[name].keys for pair in given for name in pair.theirs]
        made = {key for keys in names for part in keys for key in part}
        return self.theirs.keys() <= made | self.fills[1].keys()

    def makes_original(self, pairs: Sequence[Pair]) -> bool:
        """Return whether the pairs and the record determine the original's whole state."""
        made = {name for pair in pairs for name in pair.ours}
        tied = {name for name, first in self.ties.items() if first in made}
        return (
            self._knows(pairs)
            and self.saved <= made | tied | self.fills[0].keys() | self.values.keys()
        )

    def new_value(self, name: str) -> torch.Tensor:
        """Return the value that an entry of the original's state has in a new model."""
        form = self.ours[name]
        if name in self.fills[0]:
            return torch.full(form.shape, self.fills[0][name], dtype=form.dtype)
        held = bytearray(zlib.decompress(base64.b64decode(self.values[name])))
        return torch.frombuffer(held, dtype=form.dtype).reshape(form.shape)

    @property
    def saved(self) -> set[str]:
        """The names of the original's state."""
        return self.ours.keys() - self.unsaved

    def _knows(self, pairs: Sequence[Pair]) -> bool:
        return all(
            self.ours.keys() >= set(pair.ours) and self.places.keys() >= set(pair.theirs)
            for pair in pairs
        )


def record(
    ours: torch.nn.Module, theirs: Any, pairs: Sequence[Pair], ports: Ports
) -> dict[str, Any]:
    """Return what a certificate records of two new models, as plain data."""
    state = ours.state_dict(keep_vars=True)
    paired = {name for pair in pairs for name in pair.ours}
    tensors = {**{name: one for name, one in tensors_of(ours).items() if name in paired}, **state}
    buffers = {name for name, _ in ours.named_buffers()}
    entries = dict(ports.entries(theirs))
    keys = _keys(entries)
    held = held_once(ports.held(theirs))
    places = {
        name: found
        for name in (name for pair in pairs for name in pair.theirs)
        if name in held and (found := _place(held[name], keys, ports)) is not None
    }
    known = {key for place in places.values() for part in place["keys"] for key in part}
    rest = {key: ports.to_torch(entries[key]) for key in entries.keys() - known}
    alone = {name: state[name] for name in state if name not in paired}
    fills = dict(_fills(alone))
    small = {name: one for name, one in alone.items() if one.nbytes <= _SMALL and name not in fills}
    return {
        "original": {name: _form(value) for name, value in tensors.items()},
        "unsaved": sorted(tensors.keys() - state.keys()),
        "ties": ties_of(ours),
        "counts": [name for name in state if is_unused_count(name, ours)],
        "constants": {name: digest(one) for name, one in alone.items() if name in buffers},
        "fills": [fills, dict(_fills(rest))],
        "values": {name: _packed(one) for name, one in small.items() if one.numel()},
        "port": {key: _form(ports.to_torch(value)) for key, value in entries.items()},
        "places": places,
    }


def read_record(data: Mapping[str, Any]) -> Recorded:
    """Return the record in a certificate."""
    return Recorded(
        _forms(data["original"]),
        frozenset(data["unsaved"]),
        dict(data["ties"]),
        frozenset(data["counts"]),
        dict(data["constants"]),
        (dict(data["fills"][0]), dict(data["fills"][1])),
        dict(data["values"]),
        _forms(data["port"]),
        {
            name: Place(
                tuple(one["shape"]), tuple(one["axes"]), tuple(tuple(part) for part in one["keys"])
            )
            for name, one in data["places"].items()
        },
    )


def ties_of(model: torch.nn.Module) -> dict[str, str]:
    """Map each further name of a tensor in a model's state to its first one."""
    first: dict[int, str] = {}
    state = model.state_dict(keep_vars=True)
    names = {name: first.setdefault(id(value), name) for name, value in state.items()}
    return {name: other for name, other in names.items() if name != other}


def is_unused_count(name: str, model: torch.nn.Module) -> bool:
    """Return whether a tensor is the number of batches of a BatchNorm that never uses it."""
    path, _, own = name.rpartition(".")
    norm = dict(model.named_modules()).get(path)
    if own != "num_batches_tracked" or not isinstance(norm, torch.nn.modules.batchnorm._BatchNorm):
        return False
    return norm.momentum is not None


def digest(value: torch.Tensor) -> str:
    """Return a hash of a tensor's dtype, shape and elements."""
    found = hashlib.sha256(f"{value.dtype} {tuple(value.shape)} ".encode())
    found.update(_bytes(value))
    return found.hexdigest()


def _bytes(value: torch.Tensor) -> memoryview:
    plain = value.detach().cpu().contiguous().reshape(-1)
    return plain.view(torch.uint8).numpy().data


def _packed(value: torch.Tensor) -> str:
    return base64.b64encode(zlib.compress(_bytes(value))).decode()


def _form(value: torch.Tensor) -> list[Any]:
    return [CODES.get(value.dtype, ""), list(value.shape)]


def _forms(data: Mapping[str, Any]) -> dict[str, Form]:
    found = {}
    for name, (code, shape) in data.items():
        if code in DTYPES:
            found[name] = Form(DTYPES[code], tuple(shape))
    return found


def _fills(tensors: Mapping[str, torch.Tensor]) -> Iterator[tuple[str, float]]:
    for name, value in tensors.items():
        flat = value.detach().flatten()
        if len(flat) and not value.is_complex() and bool((flat == flat[0]).all()):
            yield name, flat[0].item()


def _keys(entries: Mapping[str, Any]) -> dict[int, tuple[str, ...]]:
    found: dict[int, tuple[str, ...]] = {}
    for key, value in entries.items():
        found[id(value)] = (*found.get(id(value), ()), key)
    return found


def _place(
    held: PortTensor, keys: Mapping[int, tuple[str, ...]], ports: Ports
) -> dict[str, Any] | None:
    """Return where a state has a tensor, or None if it isn't in it, or has another layout."""
    names = [keys.get(id(one), ()) for one in held.tensors]
    if not names or not all(names):
        return None
    before = held.read()
    held.write(_random(before))
    try:  # the parts may share the state's memory
        axes = _axes(held.read(), [ports.to_torch(one) for one in held.tensors])
    finally:
        held.write(before)
    if axes is None:
        return None
    return {"shape": list(before.shape), "axes": list(axes), "keys": [list(one) for one in names]}


def _random(like: torch.Tensor) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    if like.dtype is torch.bool:
        return torch.rand(like.shape, generator=generator) < 0.5
    drawn = torch.rand(like.shape, generator=generator)
    return drawn.to(like.dtype) if like.is_floating_point() else (drawn * 100).to(like.dtype)


def _axes(whole: torch.Tensor, parts: Sequence[torch.Tensor]) -> tuple[int, ...] | None:
    """Return the order of the parts' dimensions that gives the whole, or None."""
    count = parts[0].dim()
    if count > _MOST_AXES or any(part.dim() != count for part in parts):
        return None
    if sum(part.numel() for part in parts) != whole.numel():
        return None
    for axes in itertools.permutations(range(count)):
        rows = {tuple(part.shape[axis] for axis in axes[1:]) for part in parts}
        if len(rows) == 1 and torch.equal(_joined(parts, axes).reshape(whole.shape), whole):
            return axes
    return None


def _joined(parts: Sequence[torch.Tensor], axes: Sequence[int]) -> torch.Tensor:
    turned = [part.permute(*axes) if axes else part for part in parts]
    return turned[0] if len(turned) == 1 else torch.cat(turned)
