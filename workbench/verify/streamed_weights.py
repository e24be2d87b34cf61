"""Checkpoints converted by a certificate alone: no model is built, and tensors pass one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from workbench import files
from workbench.errors import TorchferryError
from workbench.lower import backend as backends
from workbench.verify import mapped
from workbench.verify.mapped import Mapped
from workbench.verify.pairing.bound import Bound, Pair, bind
from workbench.verify.recorded_weights import Form, Place, Recorded, digest
from workbench.weights.sources import Source, open_source
from workbench.weights.streaming import Entry, write_safetensors

Tensors = dict[str, torch.Tensor]


class _Held:
    """A tensor of the port in torch's layout, which is read and written by pairs."""

    def __init__(self, place: Place, dtype: torch.dtype, value: torch.Tensor | None = None) -> None:
        self.place = place
        self._value = torch.empty(place.shape, dtype=dtype, device="meta")
        if value is not None:
            self._value = value

    def read(self) -> torch.Tensor:
        """Return the value."""
        return self._value

    def write(self, value: torch.Tensor) -> None:
        """Keep a value."""
        self._value = value


class _OneByOne:
    """Tensors by name, made in groups; only the last group is kept.

    Args:
        groups: for each name a key of its group.
        make: returns the tensors of a group.
    """

    def __init__(self, groups: Mapping[str, int], make: Callable[[int], Tensors]) -> None:
        self._groups, self._make = groups, make
        self._last, self._made = -1, Tensors()

    def __call__(self, name: str) -> torch.Tensor:
        group = self._groups[name]
        if group != self._last:
            self._made = {}
            self._last, self._made = group, self._make(group)
        return self._made[name]


def to_port(
    source: Path, output: Path, pairs: Sequence[Pair], recorded: Recorded, target: str
) -> Mapped:
    """Write a checkpoint of the original as one of the port."""
    opened, found = open_source(source), Mapped()
    found.left = dict(opened.left)
    known = set(opened.names)
    empty = {name: form.empty() for name, form in recorded.ours.items()}
    groups: dict[str, int] = {}
    for index, pair in enumerate(pairs):
        missing = [name for name in pair.ours if name not in known]
        if missing and not recorded.unsaved.issuperset(missing):
            first = next(name for name in missing if name not in recorded.unsaved)
            raise mapped.missing_here(source, first, pair.theirs)
        if missing:
            found.notes[" + ".join(pair.theirs)] = mapped.MADE_BY_PORT
            continue
        places = [recorded.places[name] for name in pair.theirs]
        groups |= {key: index for place in places for part in place.keys for key in part}
        found.note(_bound(pair, empty, recorded, {}))
    _note_unpaired(opened, pairs, recorded, found)

    def make(index: int) -> Tensors:
        pair = pairs[index]
        given = {name: opened.tensor(name) for name in pair.ours}
        mapped.check_shapes(source, given, empty)
        held = {name: _Held(recorded.places[name], torch.float32) for name in pair.theirs}
        bind([pair], given, held)[0].carry()  # type: ignore[arg-type]
        made = Tensors()
        for one in held.values():
            made |= one.place.split(one.read(), recorded.theirs)
        return made

    paired = _OneByOne(groups, make)

    def tensor(key: str) -> torch.Tensor:
        if key in groups:
            return paired(key)
        form = recorded.theirs[key]
        return torch.full(form.shape, recorded.fills[1][key], dtype=form.dtype)

    # Parts of one pair follow each other, so that it is made once.
    order = sorted(recorded.theirs, key=lambda key: groups.get(key, -1))
    _write(output, {key: recorded.theirs[key] for key in order}, tensor, target)
    return found


def to_torch(
    source: Path, output: Path, pairs: Sequence[Pair], recorded: Recorded, target: str
) -> Mapped:
    """Write a checkpoint of the port as one of the original."""
    found = Mapped(to_port=False)
    read = _port_reader(source, recorded, target, found)
    empty = {name: form.empty() for name, form in recorded.ours.items()}
    groups = {name: index for index, pair in enumerate(pairs) for name in pair.ours}
    for pair in pairs:
        bound = _bound(pair, empty, recorded, {})
        found.note(bound)
        found.split(bound, torch.empty(bound.shape, device="meta"))  # notes sums
    groups |= {name: groups[first] for name, first in recorded.ties.items() if first in groups}
    saved = {name: form for name, form in recorded.ours.items() if name in recorded.saved}
    for name in sorted(saved.keys() - groups.keys()):
        found.notes[name] = mapped.NEW_VALUE

    def make(index: int) -> Tensors:
        bound = _bound(pairs[index], empty, recorded, read)
        made = dict(found.split(bound, bound.read()))
        made |= {name: made[one] for name, one in recorded.ties.items() if one in made}
        return {
            name: value.to(recorded.ours[name].dtype).clone().contiguous()
            for name, value in made.items()
        }

    paired = _OneByOne(groups, make)

    def tensor(name: str) -> torch.Tensor:
        return paired(name) if name in groups else recorded.new_value(name)

    if output.suffix == mapped.SAFE:
        order = sorted(saved, key=lambda name: groups.get(name, -1))
        _write(output, {name: saved[name] for name in order}, tensor, target)
    else:
        state = {name: tensor(name) for name in saved}
        state |= {name: state[first] for name, first in recorded.ties.items()}
        files.fill(output, lambda place: torch.save(state, place))
    return found


def _bound(
    pair: Pair,
    ours: Mapping[str, torch.Tensor],
    recorded: Recorded,
    read: Callable[[str], torch.Tensor] | Mapping[str, Any],
) -> Bound:
    """Return a pair with the values of the port, or with none if there is no reader."""
    held = {}
    for name in pair.theirs:
        place = recorded.places[name]
        value = None
        if callable(read):
            value = place.join([read(part[0]) for part in place.keys])
        held[name] = _Held(place, recorded.theirs[place.keys[0][0]].dtype, value)
    return bind([pair], ours, held)[0]  # type: ignore[arg-type]


def _note_unpaired(
    opened: Source, pairs: Iterable[Pair], recorded: Recorded, found: Mapped
) -> None:
    """Report the entries of a checkpoint that no pair has."""
    paired = {name for pair in pairs for name in pair.ours}
    for name in opened.names:
        tied = recorded.ties.get(name, "")
        if tied in paired and torch.equal(opened.tensor(name), opened.tensor(tied)):
            found.notes[name] = f"is tied to {tied}"
        elif name in paired:
            continue
        elif name in recorded.counts:
            found.notes[name] = mapped.UNUSED_COUNT
        elif recorded.constants.get(name) == digest(opened.tensor(name)):
            found.notes[name] = mapped.OWN_CONSTANT
        else:
            found.left[name] = mapped.NO_PAIR


def _port_reader(
    source: Path, recorded: Recorded, target: str, found: Mapped
) -> Callable[[str], torch.Tensor]:
    """Return a function that reads a tensor of the port's state, which is complete."""
    names: Iterable[str]
    if source.suffix == mapped.SAFE:
        opened = open_source(source)
        names, read = opened.names, opened.tensor
    else:
        held = backends.find(target).load_state(source)
        held = held if isinstance(held, Mapping) else {}
        names, read = map(str, held), held.__getitem__
    known = set(names)
    if lacking := sorted(recorded.theirs.keys() - known):
        raise mapped.missing_there(source, lacking[0])
    found.left = dict.fromkeys(sorted(known - recorded.theirs.keys()), mapped.NOT_IN_PORT)

    def checked(name: str) -> torch.Tensor:
        value, wanted = read(name), recorded.theirs[name].shape
        if tuple(value.shape) != wanted:
            raise TorchferryError(mapped.other_size(source, name, tuple(value.shape), wanted))
        return value

    return checked


def _write(
    output: Path, forms: Mapping[str, Form], tensor: Callable[[str], torch.Tensor], target: str
) -> None:
    """Write a state: tensor by tensor if the format allows it."""
    if output.suffix == mapped.SAFE:
        entries = [Entry(name, form.dtype, form.shape) for name, form in forms.items()]
        write_safetensors(output, entries, tensor)
        return
    backend = backends.find(target)
    backend.save_state({name: backend.from_torch(tensor(name)) for name in forms}, output)
