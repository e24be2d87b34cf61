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
from workbench.weights.streaming import DTYPES, Entry, write_safetensors
from workbench.weights.whole import Whole

if TYPE_CHECKING:
    from workbench.lower.backend import Backend, Layers

_TORCHS = (".pt", ".pth", ".bin")
_SAFE = ".safetensors"


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
    if output.suffix == _SAFE and not program and source.suffix not in _TORCHS:
        opened = sources.open_source(source)
        if opened.form is not None:
            return _streamed(opened, output, backend, progress)
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


def _streamed(
    source: sources.Source, output: Path, backend: Backend, progress: Callable[[int], None]
) -> Written:
    """Write tensors one by one, as the target would keep them."""
    assert source.form is not None
    left, entries, done = dict(source.left), list[Entry](), 0
    kept: dict[str, torch.dtype | str] = {}
    for name in source.names:
        code, shape = source.form(name)
        if code not in kept:
            kept[code] = _kept_as(backend, code)
        dtype = kept[code]
        if isinstance(dtype, str):
            left[name] = dtype
        else:
            entries.append(Entry(name, dtype, shape))
    if not entries:
        raise WeightsError(f"{source.title}: has no tensors that can be written")

    def tensor(name: str) -> torch.Tensor:
        nonlocal done
        value = backend.to_torch(backend.from_torch(source.tensor(name), share=True))
        done += value.nbytes
        progress(done)
        return value  # type: ignore[no-any-return]

    write_safetensors(output, entries, tensor)
    return Written(tuple(one.name for one in entries), left, {}, done)


def _kept_as(backend: Backend, code: str) -> torch.dtype | str:
    """Return the dtype that the target gives to tensors of a dtype, or why it has none."""
    if code not in DTYPES:
        return f"is {code}, which torch lacks"
    try:
        value = backend.to_torch(backend.from_torch(torch.empty(0, dtype=DTYPES[code])))
    except Exception as error:
        return next(iter(str(error).splitlines()), type(error).__name__)
    return value.dtype  # type: ignore[no-any-return]


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
