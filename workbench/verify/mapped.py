"""The result of converting a checkpoint by pairs, and what both ways of doing it share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import torch

from workbench.errors import TorchferryError
from workbench.verify.pairing.bound import Bound
from workbench.verify.pairing.layout import SUM
from workbench.weights.sources import open_source

TORCHS = (".pt", ".pth", ".bin")
SAFE = ".safetensors"
_INDEX = ".json"  # of a sharded checkpoint
UNUSED_COUNT = "counts batches, which only a BatchNorm with momentum=None uses"
OWN_CONSTANT = "is a constant of the original's, which the port makes itself"
NO_PAIR = "no pair has it"
MADE_BY_PORT = "is no part of a checkpoint; the port makes it"
NEW_VALUE = "is not in the port; it has the value of a new model"
NOT_IN_PORT = "the port has no such tensor"


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

    def note(self, bound: Bound) -> None:
        """Add the row of a pair."""
        value, pair = bound.sources[0], bound.pair
        size = "x".join(map(str, bound.shape)) or "1"
        dtype = str(value.dtype).removeprefix("torch.")
        self.rows.append((pair.name, " + ".join(pair.theirs), str(pair.layout), size, dtype))
        self.nbytes += sum(one.nbytes for one in bound.sources)

    def split(self, bound: Bound, whole: torch.Tensor) -> list[tuple[str, torch.Tensor]]:
        """Return the original's tensors of a pair, by name."""
        names, pair = bound.pair.ours, bound.pair
        if len(names) == 1:
            return [(names[0], whole)]
        if pair.layout == SUM:
            what = "the port has only the sum: the first has it, the others are zero"
            self.notes[pair.name] = what
            rest = [
                (name, whole.new_zeros(one.shape))
                for name, one in zip(names[1:], bound.sources[1:], strict=True)
            ]
            return [(names[0], whole), *rest]
        sizes = [source.shape[pair.axis] for source in bound.sources]
        return list(zip(names, torch.split(whole, sizes, pair.axis), strict=True))


def is_to_port(
    source: Path, output: Path, ours: Collection[str], theirs: Callable[[], Collection[str]]
) -> bool:
    """Return whether a checkpoint of the original is converted.

    Args:
        source: the checkpoint.
        output: the file to write.
        ours: the names of the original's tensors.
        theirs: returns the names of the port's state.
    """
    if output.suffix in TORCHS:
        return False
    if output.suffix != SAFE or source.suffix in TORCHS:
        return True
    if source.suffix not in (SAFE, _INDEX) and source.is_file():
        return False
    names = set(open_source(source).names)
    return len(names & set(ours)) >= len(names & set(theirs()))


def check_shapes(
    source: Path, given: Mapping[str, torch.Tensor], wanted: Mapping[str, torch.Tensor]
) -> None:
    """Raise TorchferryError if a tensor of a checkpoint has another shape than the model's."""
    for name, value in given.items():
        if name in wanted and value.shape != wanted[name].shape:
            raise TorchferryError(
                f"{source}: {name} is {tuple(value.shape)}, and {tuple(wanted[name].shape)} in the"
                " certificate's model; verify the port with the arguments of this checkpoint"
            )


def missing_here(source: Path, name: str, theirs: Collection[str]) -> TorchferryError:
    """Return the error for a checkpoint that lacks a tensor of the original."""
    return TorchferryError(
        f"{source}: it has no {name}, which the port needs for {' + '.join(theirs)}; give a"
        " checkpoint of the model in the certificate"
    )


def missing_there(source: Path, name: str) -> TorchferryError:
    """Return the error for a file that lacks a tensor of the port."""
    return TorchferryError(
        f"{source}: it has no {name}; give the state of the port in the certificate"
    )


def other_size(source: Path, name: str, size: tuple[int, ...], wanted: tuple[int, ...]) -> str:
    """Return the message for a tensor of the port with another shape."""
    return f"{source}: {name} is {size}, and in the port {wanted}"
