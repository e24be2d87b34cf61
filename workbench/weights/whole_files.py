"""Checkpoint files as a whole: torch's in the target's format, and the target's in torch's."""

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
    """What was written to a file: tensors by name, what was left out, and what to know of it."""

    carried: tuple[str, ...]
    left: Mapping[str, str]
    told: Mapping[str, str]
    nbytes: int


def write(
    source: Path,
    output: Path,
    target: str = DEFAULT,
    *,
    program: str = "",
    progress: Callable[[int], None] = lambda done: None,
) -> Written:
    """Write a checkpoint of torch in the target's format, or, into a .pt file, the target's.

    Args:
        source: a checkpoint of torch, or a file of the target's.
        output: the file to write; its ending tells the direction.
        target: the target framework.
        program: the converted program, `FILE`, or a layer that it makes, `FILE:NAME`, which tells
            how the target keeps each weight. Without it names and layouts stay as they are.
        progress: called with the bytes done.

    Raises:
        WeightsError: the source holds no weights, or is missing, truncated or hostile.
        TorchferryError: the program does not tell whose a weight is, or nothing can be written.
    """
    backend = backends.find(target)
    code, named, name = program.partition(".py:")  # other colons are a drive's, or in a call
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
        raise WeightsError(f"{source}: holds no tensors{f' ({reasons})' if reasons else ''}")
    if program and not whole.changed:
        raise WeightsError(
            f"{program}: makes no layer that any weight of {source} belongs to; give the program"
            " that reads it, or a layer in it as FILE:NAME"
        )
    if back:
        files.fill(output, lambda place: torch.save(made, place))
    else:
        backend.save_state(made, output)
    return Written(tuple(whole.carried), whole.left, whole.told, whole.nbytes)


def _change(
    layers: Layers | None, back: bool
) -> Callable[[dict[str, torch.Tensor]], dict[str, torch.Tensor] | None]:
    def change(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor] | None:
        if layers is None or not state or not layers.knows(state):
            return None
        return layers.to_torch(state) if back else layers.to_target(state)

    return change


def _torchs(source: Path) -> Any:
    """What a checkpoint of torch holds; that of many files as one state dict."""
    if source.suffix in _TORCHS and source.is_file():
        held = sources.pickled_mapping(source)
        sources.check_size(source, _tensors(held))
        return held
    opened = sources.open_source(source)
    return {name: opened.tensor(name) for name in opened.names}


def _tensors(held: Any) -> Iterator[torch.Tensor]:
    """The tensors in what a checkpoint holds, however deep."""
    seen: set[int] = set()
    waiting = [held]
    while waiting:
        part = waiting.pop()
        if isinstance(part, torch.Tensor):
            yield part
        elif isinstance(part, Mapping | list | tuple) and id(part) not in seen:
            seen.add(id(part))
            waiting.extend(part.values() if isinstance(part, Mapping) else part)
