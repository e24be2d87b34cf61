"""Checkpoints converted by the pairs that a verification found, for ports written by hand.

The certificate has the pairs of the two models' tensors. A tensor of one side is written to the
other by its pair, however the port fuses, splits, stacks or transposes it. Usually the certificate
records shapes and layouts as well. Otherwise both models, which it names, are built: for earlier
certificates, and if a state has tensors that neither the pairs nor the record determine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from workbench import files
from workbench.errors import TorchferryError
from workbench.lower import backend as backends
from workbench.targets.port import PortTensor, load_ports
from workbench.verify import mapped, streamed_weights
from workbench.verify.mapped import SAFE, Mapped, is_to_port
from workbench.verify.pairing.bound import Bound, Pair, bind
from workbench.verify.pairing.candidates import held_once, tensors_of
from workbench.verify.pairing.maps import read_map
from workbench.verify.recorded_weights import is_unused_count, read_record, ties_of
from workbench.verify.sides.loading import load
from workbench.verify.sides.places import Births
from workbench.weights.sources import open_source


@dataclass
class _Models:
    """The original and the port that a certificate names, with their tensors by name."""

    ours: torch.nn.Module
    theirs: Any
    pairs: list[Pair]
    tensors: dict[str, torch.Tensor]
    held: dict[str, PortTensor]


def write_mapped(source: Path, output: Path, certificate: Mapping[str, Any]) -> Mapped:
    """Write a checkpoint of the original as one of the port, or the reverse.

    Args:
        source: the checkpoint.
        output: the file to write. A name that ends in .pt, .pth or .bin is for torch. With
            .safetensors the names of the source's tensors decide.
        certificate: the certificate of a verification.

    Raises:
        TorchferryError: the certificate has no pairs, a model cannot be built, or a tensor is
            missing or has another shape.
    """
    target = certificate["target"]
    if not certificate["pairs"]:
        raise TorchferryError("the certificate has no pairs: its models have no weights")
    pairs = [read_map(text) for text in certificate["pairs"]]
    if certificate.get("weights"):
        recorded = read_record(certificate["weights"])
        to_port = is_to_port(source, output, recorded.ours, lambda: recorded.theirs)
        if to_port and recorded.makes_port(pairs):
            return streamed_weights.to_port(source, output, pairs, recorded, target)
        if not to_port and recorded.makes_original(pairs):
            return streamed_weights.to_torch(source, output, pairs, recorded, target)
    models = _models(certificate, pairs)
    ports = load_ports(target)
    if is_to_port(source, output, models.tensors, lambda: ports.state(models.theirs)):
        return _to_port(source, output, models, target)
    return _to_torch(source, output, models, target)


def _models(certificate: Mapping[str, Any], pairs: list[Pair]) -> _Models:
    sides = certificate["sides"]
    ports, births = load_ports(certificate["target"]), Births()
    torch.manual_seed(0)
    place = sides["original"]["place"]
    ours = load(place, torch.nn.Module, births, torch.optim.Optimizer).make()
    port = load(
        sides["port"]["place"], ports.module_kind, births, ports.optimizer_kind, ports.needs
    )
    theirs = port.make()
    held = held_once(ports.held(theirs))
    return _Models(ours, theirs, pairs, dict(tensors_of(ours)), dict(held))


def _to_port(source: Path, output: Path, models: _Models, target: str) -> Mapped:
    opened, found = open_source(source), Mapped()
    known = set(opened.names)
    found.left = dict(opened.left)
    saved = models.ours.state_dict().keys()
    for pair in models.pairs:
        missing = [name for name in pair.ours if name not in known]
        if missing and saved & set(missing):
            raise mapped.missing_here(source, missing[0], pair.theirs)
        if missing:
            found.notes[" + ".join(pair.theirs)] = mapped.MADE_BY_PORT
            continue
        given = {name: opened.tensor(name) for name in pair.ours}
        mapped.check_shapes(source, given, models.tensors)
        bound = _bound(pair, given, models)
        with torch.no_grad():
            bound.carry()
        found.note(bound)
    paired = {name for pair in models.pairs for name in pair.ours}
    ties = ties_of(models.ours)
    for name in opened.names:
        tied = ties.get(name, "")
        if tied in paired and torch.equal(opened.tensor(name), opened.tensor(tied)):
            found.notes[name] = f"is tied to {tied}"
        elif name not in paired and is_unused_count(name, models.ours):
            found.notes[name] = mapped.UNUSED_COUNT
        elif name not in paired and _is_constant(name, opened.tensor(name), models.ours):
            found.notes[name] = mapped.OWN_CONSTANT
        elif name not in paired:
            found.left[name] = mapped.NO_PAIR
    backend = backends.find(target)
    backend.save_state(load_ports(target).state(models.theirs), output)
    return found


def _to_torch(source: Path, output: Path, models: _Models, target: str) -> Mapped:
    ports, backend, found = load_ports(target), backends.find(target), Mapped(to_port=False)
    held, own = backend.load_state(source), ports.state(models.theirs)
    if not isinstance(held, Mapping) or not own.keys() <= held.keys():
        lacking = sorted(own.keys() - (held.keys() if isinstance(held, Mapping) else set()))
        raise mapped.missing_there(source, lacking[0])
    found.left = {str(name): mapped.NOT_IN_PORT for name in held.keys() - own.keys()}
    for name in own:
        size, wanted = tuple(held[name].shape), tuple(own[name].shape)
        if size != wanted:
            raise TorchferryError(mapped.other_size(source, name, size, wanted))
    ports.load_state(models.theirs, {name: backend.from_torch(held[name]) for name in own})
    models.held = dict(held_once(ports.held(models.theirs)))
    state = dict(models.ours.state_dict())
    paired = set()
    for pair in models.pairs:
        bound = _bound(pair, models.tensors, models)
        for name, value in found.split(bound, bound.read()):
            paired.add(name)
            if name in state:
                state[name] = value.to(state[name].dtype).clone().contiguous()
        found.note(bound)
    for name, tied in ties_of(models.ours).items():
        if tied in paired and name not in paired:
            state[name] = state[tied]
            paired.add(name)
    for name in sorted(state.keys() - paired):
        found.notes[name] = mapped.NEW_VALUE
    if output.suffix == SAFE:
        apart = {name: value.clone() for name, value in state.items()}  # its format has no ties
        files.fill(output, lambda place: save_file(apart, place))
    else:
        files.fill(output, lambda place: torch.save(state, place))
    return found


def _is_constant(name: str, value: torch.Tensor, model: torch.nn.Module) -> bool:
    """Return whether a tensor is a buffer with the value that every new model has."""
    own = dict(model.named_buffers()).get(name)
    return own is not None and torch.equal(own, value)


def _bound(pair: Pair, given: Mapping[str, torch.Tensor], models: _Models) -> Bound:
    return bind([pair], given, models.held)[0]
