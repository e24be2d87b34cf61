"""Transfer of weights: into a state dict of the target, or into a live module of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from workbench.lower import backend as backends
from workbench.targets import DEFAULT
from workbench.targets.bridge import CarryError, Slot, load_bridge
from workbench.weights.errors import WeightsError
from workbench.weights.sources import Source, open_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from workbench.targets.bridge import Bridge, Mismatch

    Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Unfit:
    """A weight that was not transferred, or a parameter that got none, and the reason."""

    name: str
    reason: str


@dataclass
class Carried:
    """Result of a transfer.

    Attributes:
        target: the target framework.
        state: the target's tensors by torch's names; empty if the weights went into a module.
        carried: the names of the transferred weights.
        unfit: weights and parameters without a counterpart.
        nbytes: the bytes transferred.
        copied: the bytes of these that were copied, not shared.
    """

    target: str
    state: Mapping[str, Any] = field(default_factory=dict)
    carried: tuple[str, ...] = ()
    unfit: tuple[Unfit, ...] = ()
    nbytes: int = 0
    copied: int = 0

    @property
    def complete(self) -> bool:
        """Return whether every weight has a parameter and every parameter a weight."""
        return not self.unfit

    def save(self, path: str | Path) -> Path:
        """Write `state` in the target's own format, atomically, and return the path.

        Raises:
            WeightsError: there is nothing to write.
            TorchferryError: the format is unknown, or the disk is full, or writing is not
                permitted.
        """
        from pathlib import Path

        if not self.state:
            raise WeightsError("nothing to save: no weight was converted to a state dict")
        return backends.find(self.target).save_state(self.state, Path(path))

    def __str__(self) -> str:
        text = f"{len(self.carried)} weights transferred, {self.nbytes:,} bytes,"
        text += f" {self.copied:,} copied"
        return "\n".join([text, *(f"  {u.name}: {u.reason}" for u in self.unfit)])


def carry(
    obj: Any,
    target: str = DEFAULT,
    *,
    into: Any = None,
    share: bool | None = None,
    progress: Progress | None = None,
) -> Carried:
    """Transfer weights from torch.

    Args:
        obj: a state dict, a live `torch.nn.Module`, a `torch.optim.Optimizer`, or the path of a
        checkpoint: `.pt`, `.pth`, `.bin`, `.safetensors`, or the index or folder of a sharded one.
            Reading a file never runs code.
        target: the target framework.
        into: a live module (or, for an optimizer, optimizer) of the target to fill in place, in the
            layout of its layers. Without it, the result has a state dict with torch's names and
            layouts, as generated modules use them.
        share: let the target's tensors share torch's memory, for inference: nothing is copied, and
            a change on one side affects the other. By default shared, unless `obj` is a module in
            training mode. Weights that go into a live module are always copied, one by one.
        progress: called with a name, the bytes done and the total bytes (0 if unknown).

    Returns:
        What was transferred and what was not, each with its reason.

    Raises:
        WeightsError: `obj` holds no weights, or its file is missing, truncated or hostile.
    """
    if isinstance(obj, torch.optim.Optimizer):
        return _optimizer(obj, target, into)
    if into is not None and isinstance(obj, torch.nn.Module):
        return _module(obj, target, into, progress)
    source = open_source(obj)
    if into is not None:
        return _into(source, target, into, progress)
    if share is None:
        share = not (isinstance(obj, torch.nn.Module) and obj.training)
    return _state(source, target, share, progress)


def _state(source: Source, target: str, share: bool, progress: Progress | None) -> Carried:
    backend = backends.find(target)
    state: dict[str, Any] = {}
    unfit = [Unfit(name, reason) for name, reason in source.left.items()]
    done = copied = 0
    for name in source.names:
        value = source.tensor(name)
        try:
            moved = backend.from_torch(value, share=share)
        except Exception as error:
            unfit.append(Unfit(name, _first_line(error)))
            continue
        state[name] = moved
        done += value.nbytes
        copied += 0 if share else value.nbytes
        if progress:
            progress(name, done, 0)
    return Carried(target, state, tuple(state), tuple(unfit), done, copied)


def _into(source: Source, target: str, module: Any, progress: Progress | None) -> Carried:
    """Copy named tensors into a live module, whose layers determine the layouts."""
    backend = backends.find(target)
    unfit = [Unfit(name, reason) for name, reason in source.left.items()]
    places = backend.places(module)
    carried: list[str] = []
    done = 0
    for name in source.names:
        place = places.pop(name, None)
        if place is None:
            # Counters do not affect results; a module without them loses nothing.
            if not name.endswith("num_batches_tracked"):
                unfit.append(Unfit(name, f"{type(module).__name__} has no such weight"))
            continue
        value = source.tensor(name)
        reason = place(value)
        if reason:
            unfit.append(Unfit(name, reason))
            continue
        carried.append(name)
        done += value.nbytes
        if progress:
            progress(name, done, 0)
    unfit += [Unfit(name, f"{source.title} has no such weight") for name in places]
    return Carried(target, {}, tuple(carried), tuple(unfit), done, done)


def _module(module: torch.nn.Module, target: str, twin: Any, progress: Progress | None) -> Carried:
    bridge = load_bridge(target)
    return _written(bridge, bridge.module_slots(module, twin), [], progress)


def _written(
    bridge: Bridge,
    slots: Iterable[Slot | Mismatch],
    unfit: list[Unfit],
    progress: Progress | None = None,
) -> Carried:
    """Write the slots; `unfit` lists what does not fit already."""
    carried: list[str] = []
    done = 0
    for slot in slots:
        if not isinstance(slot, Slot):
            unfit.append(Unfit(slot.name, slot.reason))
            continue
        try:
            slot.write(bridge, slot.source)
        except Exception as error:
            unfit.append(Unfit(slot.name, _first_line(error)))
            continue
        carried.append(slot.name)
        done += slot.source.nbytes
        if progress:
            progress(slot.name, done, 0)
    return Carried(bridge.name, {}, tuple(carried), tuple(unfit), done, done)


def _optimizer(optimizer: torch.optim.Optimizer, target: str, twin: Any) -> Carried:
    if twin is None:
        raise WeightsError(
            "an optimizer's state belongs to parameters: pass into=(module, twin, optimizer), the "
            "torch module, its counterpart, and the counterpart's optimizer"
        )
    module, partner, theirs = twin
    bridge = load_bridge(target)
    slots = {
        id(slot.source): slot
        for slot in bridge.module_slots(module, partner)
        if isinstance(slot, Slot)
    }
    unfit: list[Unfit] = []
    try:
        bridge.prepare_optimizer(optimizer, theirs, lambda tensor: slots.get(id(tensor)))
    except CarryError as error:
        # State for which the counterpart already has variables is transferred all the same.
        unfit.append(Unfit("settings", str(error)))
    found = bridge.optimizer_slots(optimizer, theirs, lambda tensor: slots.get(id(tensor)))
    return _written(bridge, found, unfit)


def _first_line(error: Exception) -> str:
    lines = [line for line in str(error).strip().splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
