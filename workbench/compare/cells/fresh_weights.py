"""Fresh random weights: drawn by torch, and copied to their twins before anything uses them."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from workbench.compare.carry.pairing import Pair, Walk
from workbench.compare.result import Carried
from workbench.targets.bridge import CarryError, Slot

if TYPE_CHECKING:
    from workbench.compare.cells.gather import Gathering
    from workbench.compare.cells.mirror import Mirror
    from workbench.compare.judging.torch_side import Snapshot
    from workbench.streams.torch_recorder import FreshWeights


def settle(
    mirror: Mirror, names: Collection[str], fresh: FreshWeights, gathering: Gathering
) -> None:
    """Pair the values of the names and the results, and copy the drawn weights among them."""
    walk = Walk(mirror.bridge, mirror.twins)
    torch, target = gathering.shared.namespace, mirror.names
    pairs = {name: (torch[name], target[name]) for name in names if name in torch.keys() & target}
    if gathering.result and fresh:
        pairs["Out"] = gathering.result
    for name, (ours, theirs) in sorted(pairs.items()):
        slots = [
            found.slot
            for found in walk.visit(name, ours, theirs)
            if isinstance(found, Pair) and found.slot and found.slot.source in fresh
        ]
        if slots:
            _write(mirror, name, slots, gathering)
            for slot in slots:
                fresh.discard(slot.source)


def _write(mirror: Mirror, name: str, slots: list[Slot], gathering: Gathering) -> None:
    for slot in slots:
        try:
            slot.write(mirror.bridge, slot.source)
        except CarryError as error:
            gathering.comparison.carried.append(
                Carried(f"{name}.{slot.name}", "fresh weights", str(error))
            )
            continue
        mirror.log.add(slot.source)
    count = len(slots)
    gathering.comparison.carried.append(
        Carried(name, f"{count} fresh random weight{'' if count == 1 else 's'}")
    )


def carry_snapshot(
    mirror: Mirror, snapshot: Snapshot | None, twin: Any, carried: list[Carried]
) -> str:
    """Copy torch's weights to a module at its first call; return "" or why that is impossible."""
    kind = type(twin).__name__
    if snapshot is None:
        return f"the target calls a fresh {kind} where torch calls none"
    module = snapshot.module
    if type(module).__name__ != kind:
        return f"torch calls a fresh {type(module).__name__} where the target calls a {kind}"
    slots = [
        slot
        for slot in mirror.bridge.module_slots(module, twin)
        if isinstance(slot, Slot) and id(slot.source) in snapshot.values
    ]
    try:
        for slot in slots:
            slot.write(mirror.bridge, snapshot.values[id(slot.source)])
    except CarryError as error:
        return f"the weights of {kind} cannot be transferred: {error}"
    carried.append(Carried(kind, f"{len(slots)} fresh random weights at its first call"))
    return ""
