"""Checkpoints converted by the pairs that a verification found, for ports written by hand.

The certificate names the two models and the pairs of their tensors. Both are built, so that shapes
and layouts are those of the code. A tensor of one side is written to the other by its pair, however
the port fuses, splits, stacks or transposes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from workbench import files
from workbench.errors import TorchferryError
from workbench.lower import backend as backends
from workbench.targets.port import PortTensor, load_ports
from workbench.verify.pairing.bound import Bound, Pair, bind
from workbench.verify.pairing.candidates import held_once, tensors_of
from workbench.verify.pairing.layout import SUM
from workbench.verify.pairing.maps import read_map
from workbench.verify.sides.loading import load
from workbench.verify.sides.places import Births
from workbench.weights.sources import open_source

_TORCHS = (".pt", ".pth", ".bin")
_SAFE = ".safetensors"


@dataclass
class Mapped:
    """The result: what went where, and what was left out or kept, with the reason.

    Attributes:
        rows: for each pair the original's names, the port's, the layout, the shape and the dtype.
        left: entries of the source that no pair takes.
        notes: tensors of the result that keep the value of a new model, and other remarks.
        nbytes: the bytes of the tensors.
        to_port: the direction.
    """

    rows: list[tuple[str, str, str, str, str]] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    nbytes: int = 0
    to_port: bool = True


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
    models = _models(certificate)
    if _is_to_port(source, output, models, target):
        return _to_port(source, output, models, target)
    return _to_torch(source, output, models, target)


def _models(certificate: Mapping[str, Any]) -> _Models:
    if not certificate["pairs"]:
        raise TorchferryError("the certificate has no pairs: its models have no weights")
    sides = certificate["sides"]
    ports, births = load_ports(certificate["target"]), Births()
    torch.manual_seed(0)
    place = sides["original"]["place"]
    ours = load(place, torch.nn.Module, births, torch.optim.Optimizer).make()
    port = load(
        sides["port"]["place"], ports.module_kind, births, ports.optimizer_kind, ports.needs
    )
    theirs = port.make()
    pairs = [read_map(text) for text in certificate["pairs"]]
    held = held_once(ports.held(theirs))
    return _Models(ours, theirs, pairs, dict(tensors_of(ours)), dict(held))


def _is_to_port(source: Path, output: Path, models: _Models, target: str) -> bool:
    if output.suffix in _TORCHS:
        return False
    if output.suffix != _SAFE or source.suffix in _TORCHS:
        return True
    if source.suffix != _SAFE and source.is_file():
        return False
    theirs = set(load_ports(target).state(models.theirs))
    names = set(open_source(source).names)
    return len(names & models.tensors.keys()) >= len(names & theirs)


def _to_port(source: Path, output: Path, models: _Models, target: str) -> Mapped:
    opened, found = open_source(source), Mapped()
    known = set(opened.names)
    found.left = dict(opened.left)
    saved = models.ours.state_dict().keys()
    for pair in models.pairs:
        missing = [name for name in pair.ours if name not in known]
        if missing and saved & set(missing):
            raise TorchferryError(
                f"{source}: it has no {missing[0]}, which the port needs for"
                f" {' + '.join(pair.theirs)}; give a checkpoint of the model in the certificate"
            )
        if missing:
            found.notes[" + ".join(pair.theirs)] = "is no part of a checkpoint; the port makes it"
            continue
        given = {name: opened.tensor(name) for name in pair.ours}
        _check_shapes(source, given, models.tensors)
        bound = _bound(pair, given, models)
        with torch.no_grad():
            bound.carry()
        _note(found, bound)
    paired = {name for pair in models.pairs for name in pair.ours}
    ties = _ties(models.ours)
    for name in opened.names:
        tied = ties.get(name, "")
        if tied in paired and torch.equal(opened.tensor(name), opened.tensor(tied)):
            found.notes[name] = f"is tied to {tied}"
        elif name not in paired and _is_unused_count(name, models.ours):
            found.notes[name] = "counts batches, which only a BatchNorm with momentum=None uses"
        elif name not in paired and _is_constant(name, opened.tensor(name), models.ours):
            found.notes[name] = "is a constant of the original's, which the port makes itself"
        elif name not in paired:
            found.left[name] = "no pair has it"
    backend = backends.find(target)
    backend.save_state(load_ports(target).state(models.theirs), output)
    return found


def _to_torch(source: Path, output: Path, models: _Models, target: str) -> Mapped:
    ports, backend, found = load_ports(target), backends.find(target), Mapped(to_port=False)
    held, own = backend.load_state(source), ports.state(models.theirs)
    if not isinstance(held, Mapping) or not own.keys() <= held.keys():
        lacking = sorted(own.keys() - (held.keys() if isinstance(held, Mapping) else set()))
        raise TorchferryError(
            f"{source}: it has no {lacking[0]}; give the state of the port in the certificate"
        )
    found.left = {str(name): "the port has no such tensor" for name in held.keys() - own.keys()}
    for name in own:
        size, wanted = tuple(held[name].shape), tuple(own[name].shape)
        if size != wanted:
            raise TorchferryError(f"{source}: {name} is {size}, and in the port {wanted}")
    ports.load_state(models.theirs, {name: backend.from_torch(held[name]) for name in own})
    models.held = dict(held_once(ports.held(models.theirs)))
    state = dict(models.ours.state_dict())
    paired = set()
    for pair in models.pairs:
        bound = _bound(pair, models.tensors, models)
        for name, value in _split(bound, bound.read(), found):
            paired.add(name)
            if name in state:
                state[name] = value.to(state[name].dtype).clone().contiguous()
        _note(found, bound)
    for name, tied in _ties(models.ours).items():
        if tied in paired and name not in paired:
            state[name] = state[tied]
            paired.add(name)
    for name in sorted(state.keys() - paired):
        found.notes[name] = "is not in the port; it has the value of a new model"
    if output.suffix == _SAFE:
        apart = {name: value.clone() for name, value in state.items()}  # its format has no ties
        files.fill(output, lambda place: save_file(apart, place))
    else:
        files.fill(output, lambda place: torch.save(state, place))
    return found


def _ties(model: torch.nn.Module) -> dict[str, str]:
    """Map each further name of a tensor in a model's state to its first one."""
    first: dict[int, str] = {}
    state = model.state_dict(keep_vars=True)
    names = {name: first.setdefault(id(value), name) for name, value in state.items()}
    return {name: other for name, other in names.items() if name != other}


def _is_constant(name: str, value: torch.Tensor, model: torch.nn.Module) -> bool:
    """Return whether a tensor is a buffer with the value that every new model has."""
    own = dict(model.named_buffers()).get(name)
    return own is not None and torch.equal(own, value)


def _is_unused_count(name: str, model: torch.nn.Module) -> bool:
    """Return whether a tensor is the number of batches of a BatchNorm that never uses it."""
    path, _, own = name.rpartition(".")
    norm = dict(model.named_modules()).get(path)
    if own != "num_batches_tracked" or not isinstance(norm, torch.nn.modules.batchnorm._BatchNorm):
        return False
    return norm.momentum is not None


def _bound(pair: Pair, given: Mapping[str, torch.Tensor], models: _Models) -> Bound:
    return bind([pair], given, models.held)[0]


def _split(bound: Bound, whole: torch.Tensor, found: Mapped) -> list[tuple[str, torch.Tensor]]:
    """Return the original's tensors of a pair, by name."""
    names, pair = bound.pair.ours, bound.pair
    if len(names) == 1:
        return [(names[0], whole)]
    if pair.layout == SUM:
        found.notes[pair.name] = "the port has only the sum: the first has it, the others are zero"
        others = bound.sources[1:]
        rest = [(name, torch.zeros_like(t)) for name, t in zip(names[1:], others, strict=True)]
        return [(names[0], whole), *rest]
    sizes = [source.shape[pair.axis] for source in bound.sources]
    return list(zip(names, torch.split(whole, sizes, pair.axis), strict=True))


def _check_shapes(
    source: Path, given: Mapping[str, torch.Tensor], wanted: Mapping[str, torch.Tensor]
) -> None:
    for name, value in given.items():
        if name in wanted and value.shape != wanted[name].shape:
            raise TorchferryError(
                f"{source}: {name} is {tuple(value.shape)}, and {tuple(wanted[name].shape)} in the"
                " certificate's model; verify the port with the arguments of this checkpoint"
            )


def _note(found: Mapped, bound: Bound) -> None:
    value, pair = bound.sources[0], bound.pair
    size = "x".join(map(str, bound.shape)) or "1"
    dtype = str(value.dtype).removeprefix("torch.")
    found.rows.append((pair.name, " + ".join(pair.theirs), str(pair.layout), size, dtype))
    found.nbytes += sum(one.nbytes for one in bound.sources)
