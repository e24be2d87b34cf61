"""Conversion of whole checkpoint files between torch's format and the target's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from workbench import files
from workbench.lower import backend as backends
from workbench.targets import DEFAULT
from workbench.weights import sources
from workbench.weights.errors import WeightsError
from workbench.weights.whole import Whole

if TYPE_CHECKING:
    from workbench.lower.backend import Layers

_TORCHS = (".pt", ".pth", ".bin")


@dataclass(frozen=True)
class Written:
    """Result of writing a file: its tensors' names, what was left out, notes, and the bytes."""

    carried: tuple[str, ...]
    left: Mapping[str, str]
    notes: Mapping[str, str]
    nbytes: int


def write(
    source: Path,
    output: Path,
    target: str = DEFAULT,
    *,
    program: str = "",
    progress: Callable[[int], None] = lambda done: None,
) -> Written:
    """Write a torch checkpoint in the target's format, or the target's as a `.pt` file.

    Args:
        source: a checkpoint of torch, or a file of the target.
        output: the file to write; its suffix determines the direction.
        target: the target framework.
        program: the converted program, `FILE`, or a layer that it creates, `FILE:NAME`, which
            determines the target's layout of each weight. Without it names and layouts stay
            unchanged.
        progress: called with the bytes done.

    Raises:
        WeightsError: the source holds no weights, or is missing, truncated or hostile.
        TorchferryError: the program does not determine the owner of a weight, or nothing can be
            written.
    """
    backend = backends.find(target)
    code, named, name = program.partition(".py:")  # other colons belong to a drive or to a call
    layers = backend.layers(Path(f"{code}.py" if named else program), name) if program else None
    back = output.suffix in _TORCHS

    def tensor(value: torch.Tensor) -> Any:
        progress(whole.nbytes + value.nbytes)
        return value.clone() if back else backend.from_torch(value, share=True)

    whole = Whole(tensor, _change(layers, back))
    held = backend.load_state(source) if back else _torchs(source)
    made = whole.written(held)
    if not whole.carried:
        reasons = "; ".join(f"{name} {reason}" for name, reason in whole.left.items())
        raise WeightsError(f"{source}: has no tensors{f' ({reasons})' if reasons else ''}")
    if program and not whole.changed:
        raise WeightsError(
            f"{program}: creates no layer that any weight of {source} belongs to; give the program"
            " that loads it, or a layer in it as FILE:NAME"
        )
    if back:
        files.fill(output, lambda place: torch.save(made, place))
    else:
        backend.save_state(made, output)
    return Written(tuple(whole.carried), whole.left, whole.notes, whole.nbytes)


def _change(
    layers: Layers | None, back: bool
) -> Callable[[dict[str, torch.Tensor]], dict[str, torch.Tensor] | None]:
    def change(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor] | None:
        if layers is None or not state or not layers.knows(state):
            return None
        return layers.to_torch(state) if back else layers.to_target(state)

    return change


def _torchs(source: Path) -> Any:
    """Return the contents of a torch checkpoint; several files as one state dict."""
    if source.suffix in _TORCHS and source.is_file():
        held = sources.pickled_mapping(source)
        sources.check_size(source, _tensors(held))
        return held
    opened = sources.open_source(source)
    return {name: opened.tensor(name) for name in opened.names}


def _tensors(held: Any) -> Iterator[torch.Tensor]:
    """Yield the tensors in a checkpoint's nested containers."""
    seen: set[int] = set()
    waiting = [held]
    while waiting:
        part = waiting.pop()
        if isinstance(part, torch.Tensor):
            yield part
        elif isinstance(part, Mapping | list | tuple) and id(part) not in seen:
            seen.add(id(part))
            waiting.extend(part.values() if isinstance(part, Mapping) else part)
