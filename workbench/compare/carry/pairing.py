"""Correspondence between values of torch and of the target, found by walking both together.

The walk has two uses: `visit` pairs every tensor, module and optimizer that two values contain, so
that later statements find the twin of each; the comparison turns the same pairs into rows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from workbench.compare.carry.identity import IdentityMap
from workbench.compare.carry.inside import attributes, held_state, is_a, mapping, slots_of
from workbench.compare.carry.origin import is_library
from workbench.compare.carry.saved_states import fits, kind_of, numbers
from workbench.targets.bridge import Bridge, Mismatch, Slot

_MOST_ITEMS = 2000
_SCHEDULERS = (torch.optim.lr_scheduler.LRScheduler, torch.optim.lr_scheduler.ReduceLROnPlateau)


class Twins:
    """The pairs so far: torch's objects to the target's, and parameters to their slots."""

    def __init__(self) -> None:
        self._twins = IdentityMap()
        self._slots = IdentityMap()

    def get(self, value: object) -> Any:
        """Return the twin of a torch object, or None."""
        return self._twins.get(value)

    def add(self, value: object, twin: Any) -> None:
        """Add a pair."""
        self._twins[value] = twin

    def discard(self, value: object) -> None:
        """Remove a pair."""
        self._twins.discard(value)

    def clear(self) -> None:
        """Remove all pairs."""
        self._twins, self._slots = IdentityMap(), IdentityMap()

    def modules(self) -> Iterator[tuple[torch.nn.Module, Any]]:
        """Yield the modules that have a twin."""
        for key, twin in self._twins.items():
            if isinstance(key, torch.nn.Module):
                yield key, twin

    def optimizers(self) -> Iterator[torch.optim.Optimizer]:
        """Yield the optimizers that have a twin."""
        for key, _ in self._twins.items():
            if isinstance(key, torch.optim.Optimizer):
                yield key

    def leaves(self) -> list[Any]:
        """Return the target's tensors for torch's that store gradients."""
        found = [
            twin
            for key, twin in self._twins.items()
            if isinstance(key, torch.Tensor) and key.is_leaf and key.requires_grad
        ]
        for key, slot in self._slots.items():
            found += slot.places if key.requires_grad else ()
        return list({id(each): each for each in found}.values())

    def slot(self, parameter: torch.Tensor) -> Slot | None:
        """Return the slot of a module's tensor in the target, or None."""
        slot: Slot | None = self._slots.get(parameter)
        return slot

    def place(self, parameter: torch.Tensor) -> Slot | None:
        """Return the slot of a parameter in a module, or as a separate tensor, or None."""
        twin = self.get(parameter)
        return self.slot(parameter) or (None if twin is None else Slot("", parameter, (twin,)))

    def add_slot(self, slot: Slot) -> None:
        """Add the slot of a module's tensor; if it has one place, that is the tensor's twin.

        A tensor keeps its longest name, which is the one in the outermost module.
        """
        known = self.slot(slot.source)
        if known and len(known.name) > len(slot.name) and _same_places(known, slot):
            return
        self._slots[slot.source] = slot
        if len(slot.places) == 1:
            self._twins[slot.source] = slot.places[0]


def _same_places(one: Slot, other: Slot) -> bool:
    return [id(place) for place in one.places] == [id(place) for place in other.places]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two leaves of the walk that correspond.

    `slot` is set for tensors of modules, and `parameter` if the tensor is a copy of it.
    """

    name: str
    torch: Any
    target: Any
    slot: Slot | None = None
    group: str = ""
    parameter: torch.Tensor | None = None


@dataclass(frozen=True, slots=True)
class Unpaired:
    """A position where two values have different structure.

    `same` is None if this does not show a difference of what they mean.
    """

    name: str
    reason: str
    same: bool | None = False


class Walk:
    """One walk over two values; it visits each object once, so cycles and sharing are safe."""

    def __init__(self, bridge: Bridge, twins: Twins) -> None:
        self._bridge = bridge
        self._twins = twins
        self._seen: set[int] = set()

    def visit(self, name: str, ours: Any, theirs: Any) -> Iterator[Pair | Unpaired]:
        """Yield all leaves of two values that should correspond."""
        if isinstance(ours, torch.Tensor):
            if self._bridge.is_tensor(theirs) and self._twins.slot(ours) is None:
                self._twins.add(ours, theirs)
            yield Pair(name, ours, theirs, self._twins.slot(ours))
            return
        if _holds_objects(ours) and _holds_objects(theirs) and ours.shape == theirs.shape:
            for index, (a, b) in enumerate(zip(ours.flat, theirs.flat, strict=True)):
                yield from self.visit(f"{name}[{index}]", a, b)
            return
        if _is_atom(ours) or hasattr(type(ours), "to_numpy"):
            yield Pair(name, ours, theirs)
            return
        if id(ours) in self._seen:
            return
        self._seen.add(id(ours))
        self._twins.add(ours, theirs)
        yield from self._inside(name, ours, theirs)

    def _inside(self, name: str, ours: Any, theirs: Any) -> Iterator[Pair | Unpaired]:
        if isinstance(ours, torch.nn.Module):
            yield from self._module(name, ours, theirs)
        elif isinstance(ours, torch.optim.Optimizer):
            yield from self._optimizer(name, ours, theirs)
        elif isinstance(ours, _SCHEDULERS):
            rates, rate = set(ours.get_last_lr()), self._bridge.scheduled_rate(theirs)
            # A sequence of schedules takes the first steps of its later parts back.
            if len(rates) == 1 and rate is not None and ours.last_epoch >= 0:
                yield Pair(f"{name}.lr", float(rates.pop()), rate)
        elif isinstance(ours, torch.amp.GradScaler) and hasattr(theirs, "state_dict"):
            yield from self._scaler(name, ours.state_dict(), theirs.state_dict())
        elif _is_plainly(ours, Mapping, dict):
            yield from self._mapping(name, ours, theirs)
        elif _is_plainly(ours, Sequence, (list, tuple, deque)):
            yield from self._sequence(name, ours, theirs)
        elif isinstance(ours, Set) or callable(ours) or not _has_attributes(ours):
            yield Pair(name, ours, theirs)
        elif type(theirs).__name__ == type(ours).__name__ and not is_library(type(ours)):
            # An object of a user's class and one of the converted class.
            held = dict(attributes(theirs))
            for key, value in attributes(ours):
                if key in held:
                    yield from self.visit(f"{name}.{key}", value, held[key])
        else:
            yield Pair(name, ours, theirs)

    def _module(self, name: str, ours: torch.nn.Module, theirs: Any) -> Iterator[Pair | Unpaired]:
        ours = ours._modules.get("_orig_mod") or ours  # the result of torch.compile
        if not self._bridge.is_module(theirs):
            if any(True for _ in ours.state_dict()):
                yield Unpaired(name, f"a module in torch, {_kind(theirs)} in the target")
            return
        self._pair_children(ours, theirs)
        for slot in self._bridge.module_slots(ours, theirs):
            label = f"{name}.{slot.name}"
            if isinstance(slot, Mismatch):
                yield Unpaired(label, slot.reason)
            else:
                self._twins.add_slot(slot)
                yield Pair(label, slot.source, None, slot, group=name)
        if ours.training != getattr(theirs, "training", ours.training):
            yield Pair(f"{name}.training", ours.training, theirs.training)

    def _pair_children(self, ours: torch.nn.Module, theirs: Any) -> None:
        self._twins.add(ours, theirs)
        for _, child, partner in self._bridge.children(ours, theirs):
            self._pair_children(child, partner)

    def _optimizer(
        self, name: str, ours: torch.optim.Optimizer, theirs: Any
    ) -> Iterator[Pair | Unpaired]:
        if not self._bridge.is_optimizer(theirs):
            yield Unpaired(name, f"an optimizer in torch, {_kind(theirs)} in the target")
            return
        rates = {float(group["lr"]) for group in ours.param_groups}
        rate = self._bridge.learning_rate(theirs)
        if len(rates) == 1 and rate is not None:
            yield Pair(f"{name}.lr", rates.pop(), rate)
        for slot in self._bridge.optimizer_slots(ours, theirs, self._twins.place):
            if isinstance(slot, Mismatch):
                yield Unpaired(f"{name}.{slot.name}", slot.reason)
            else:
                yield Pair(f"{name}.{slot.name}", slot.source, None, slot, group=name)

    def _mapping(
        self, name: str, ours: Mapping[Any, Any], theirs: Any
    ) -> Iterator[Pair | Unpaired]:
        if not isinstance(theirs, Mapping):
            yield Unpaired(name, f"a mapping in torch, {_kind(theirs)} in the target")
            return
        kind = kind_of(ours)
        if kind == "optimizer" or (kind and not ours.keys() <= theirs.keys()):
            yield from self._saved(name, kind, ours, theirs)
            return
        state = self._state(ours, theirs)
        for key, slot in state.items():
            copied = replace(slot, source=ours[key])
            yield Pair(f"{name}[{key!r}]", ours[key], None, copied, parameter=slot.source)
        if state:
            yield from self._rest_of_state(name, ours, theirs, state)
            return
        items = mapping(ours) if isinstance(ours, dict) else list(ours.items())
        for key, value in items[:_MOST_ITEMS]:
            if key in theirs:
                yield from self.visit(f"{name}[{key!r}]", value, theirs[key])
            elif isinstance(key, torch.Tensor | torch.dtype | torch.device):
                return  # keys of a framework's own types cannot be matched
            elif not _is_filled(ours, theirs):
                yield Unpaired(f"{name}[{key!r}]", "missing in the target")
        for key in theirs:
            if key not in ours:
                yield Unpaired(f"{name}[{key!r}]", "missing in torch")

    def _scaler(
        self, name: str, ours: Mapping[str, Any], theirs: Mapping[str, Any]
    ) -> Iterator[Pair | Unpaired]:
        """Yield the parts of a scaler's state, which is empty if the scaler is not enabled."""
        yield Pair(f"{name}.enabled", bool(ours), bool(theirs))
        if ours and theirs:
            yield from self._mapping(name, ours, theirs)

    def _saved(
        self, name: str, kind: str, ours: Mapping[str, Any], theirs: Mapping[str, Any]
    ) -> Iterator[Pair | Unpaired]:
        """Yield the parts of a saved state that the target saves under other names."""
        known = self._bridge.in_torch_names(theirs)
        pairs = [
            Pair(f"{name}[{key!r}]", value, known[key])
            for key, value in numbers(ours).items()
            if isinstance(known.get(key), int | float)
        ]
        held = kind == "optimizer" and any(ours["state"].values())
        slots = self._saved_slots(ours, theirs) if held else []
        if kind == "optimizer" and theirs.keys() == ours.keys():
            yield from self._groups(f"{name}['param_groups']", ours, theirs)
        pairs += [Pair(f"{name}[{s.name!r}]", s.source, None, s, group=name) for s in slots]
        yield from pairs
        if bool(held) != bool(slots) or not (pairs or ours.keys() == theirs.keys()):
            reason = f"not checked: the target saves the state of this {kind} in its own format"
            yield Unpaired(name, reason, same=None)

    def _groups(
        self, name: str, ours: Mapping[str, Any], theirs: Mapping[str, Any]
    ) -> Iterator[Pair | Unpaired]:
        """Yield the settings of the groups of parameters that both sides have."""
        pairs = zip(ours["param_groups"], theirs["param_groups"], strict=False)
        for index, (group, other) in enumerate(pairs):
            for key, value in group.items():
                if key != "params" and key in other:
                    yield from self.visit(f"{name}[{index}][{key!r}]", value, other[key])

    def _saved_slots(self, ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[Slot]:
        """Return the slots of the state that an optimizer here saved, or an empty list."""
        for optimizer in self._twins.optimizers():
            if fits(optimizer, ours):
                found = self._bridge.saved_slots(optimizer, ours, theirs, self._twins.place)
                if slots := list(found):
                    return slots
        return []

    def _rest_of_state(
        self, name: str, ours: Mapping[Any, Any], theirs: Mapping[Any, Any], state: dict[str, Slot]
    ) -> Iterator[Pair | Unpaired]:
        """Yield the tensors of a state that no module here has now, such as those of an old head.

        Buffers that only torch keeps are left out.
        """
        for key, value in ours.items():
            if key in state or key.endswith("num_batches_tracked"):
                continue
            other = theirs.get(key)
            slot = self._layout_of(key, value, other) if self._bridge.is_tensor(other) else None
            if slot is not None:
                yield Pair(f"{name}[{key!r}]", value, None, slot)
            else:
                reason = "not checked: no module here has this part, whose layout may be another"
                yield Unpaired(f"{name}[{key!r}]", reason, same=None)

    def _layout_of(self, key: str, ours: torch.Tensor, theirs: Any) -> Slot | None:
        """Return the slot of a part without a module: unchanged or transposed, as it is closer."""
        plain = Slot(key, ours, (theirs,))
        turned = replace(plain, join=lambda parts: parts[0].T)
        value = self._bridge.to_torch(theirs)
        fitting = [plain] if value.shape == ours.shape else []
        if ours.dim() == 2 and value.shape == ours.T.shape:
            fitting.append(turned)
        return min(
            fitting,
            key=lambda slot: float((slot.read(self._bridge) - ours.detach()).abs().sum()),
            default=None,
        )

    def _state(self, ours: Mapping[Any, Any], theirs: Mapping[Any, Any]) -> dict[str, Slot]:
        """Return the slots of a module's state (or a copy of it), whose twin uses other names."""
        values = [value for _, value in mapping(ours)] if isinstance(ours, dict) else []
        if not values or not all(isinstance(value, torch.Tensor) for value in values):
            return {}
        part: dict[str, Slot] = {}
        for module, twin in self._twins.modules():
            if not self._bridge.is_module(twin):
                continue
            whole = is_state_of(module, ours)
            names = ours.keys() if whole else _shared_names(module, ours)
            if not whole and len(names) <= max(len(part), len(ours) // 2):
                continue
            slots = list(self._bridge.state_slots(module, twin, theirs, names))
            if slots and whole:
                return {slot.name: slot for slot in slots}
            if len(slots) > len(part):
                part = {slot.name: slot for slot in slots}
        return part

    def _slots_like(self, ours: Any, theirs: Any) -> list[Slot | None]:
        """Return the slots of a module's parameters if lists hold a tensor for each, such as copies
        or gradients; the target may keep them in another layout. There may be None instead.
        """
        given = [one for one in ours if one is not None]
        if len(ours) < 2 or not given or not all(isinstance(one, torch.Tensor) for one in given):
            return []
        if any(
            (a is None) != (not self._bridge.is_tensor(b))
            for a, b in zip(ours, theirs, strict=True)
        ):
            return []
        if any(map(self._twins.slot, given)):
            return []
        for module, _ in self._twins.modules():
            parameters = list(module.parameters())
            if len(parameters) != len(ours) or any(
                b is not None and a.shape != b.shape for a, b in zip(parameters, ours, strict=True)
            ):
                continue
            slots = [
                _only_at(self._twins.slot(parameter), place)
                for parameter, place in zip(parameters, theirs, strict=True)
            ]
            if self._is_laid_out(slots, ours):
                return slots
        return []

    def _is_laid_out(self, slots: list[Slot | None], ours: Any) -> bool:
        """Return whether values in the layout of the slots are closer than they are unchanged."""
        for slot, one in zip(slots, ours, strict=True):
            if one is None:
                continue
            if slot is None:
                return False
            plain, joined = self._bridge.to_torch(slot.places[0]), slot.read(self._bridge)
            if joined.shape != one.shape:
                return False
            if plain.shape != one.shape:
                return True
            if not torch.equal(joined, plain):
                return bool((joined - one).abs().sum() < (plain - one).abs().sum())
        return False

    def _sequence(self, name: str, ours: Any, theirs: Any) -> Iterator[Pair | Unpaired]:
        if not isinstance(theirs, Sequence | deque) or isinstance(theirs, str | bytes):
            yield Unpaired(name, f"{_kind(ours)} in torch, {_kind(theirs)} in the target")
        elif len(ours) != len(theirs):
            yield Unpaired(name, f"{len(ours)} items in torch, {len(theirs)} in the target")
        elif len(ours) > 1 and (
            (all_numbers(ours) and all_numbers(theirs)) or (all_text(ours) and all_text(theirs))
        ):
            yield Pair(name, ours, theirs)
        elif slots := self._slots_like(ours, theirs):
            for index, (slot, one) in enumerate(zip(slots, ours, strict=True)):
                if slot is not None and one is not None:
                    copied = replace(slot, source=one)
                    yield Pair(f"{name}[{index}]", one, None, copied, parameter=slot.source)
        else:
            for index, (a, b) in enumerate(zip(ours, theirs, strict=True)):
                if index >= _MOST_ITEMS:
                    reason = f"not checked: only the first {_MOST_ITEMS} items were compared"
                    yield Unpaired(name, reason, same=None)
                    return
                yield from self.visit(f"{name}[{index}]", a, b)


def _only_at(slot: Slot | None, place: Any) -> Slot | None:
    """Return a slot of one tensor with another place, or None for one of several tensors."""
    return None if slot is None or len(slot.places) != 1 else replace(slot, places=(place,))


def _has_attributes(value: object) -> bool:
    return held_state(value) is not None or bool(slots_of(value))


def _is_filled(ours: Mapping[Any, Any], theirs: Mapping[Any, Any]) -> bool:
    """Return whether it is a parameter group: torch's optimizer writes its defaults into it."""
    return {"params", "lr", "foreach"} <= ours.keys() and "params" in theirs


def is_state_of(module: torch.nn.Module, values: Mapping[Any, Any]) -> bool:
    """Return whether a dict has a tensor for each part of a module's state, or each parameter.

    Without buffers it may be what code keeps by parameter, such as a moving average.
    """
    state = module.state_dict()
    if values.keys() == state.keys():
        return True
    named = dict(module.named_parameters())
    trained = {name for name, parameter in named.items() if parameter.requires_grad}
    return values.keys() in (named.keys(), trained) and all(
        value.shape == named[name].shape for name, value in values.items()
    )


def _shared_names(module: torch.nn.Module, values: Mapping[Any, Any]) -> set[str]:
    """Return the dotted names of a state that a module has too, with the same shape."""
    state = module.state_dict()
    return {
        name
        for name, value in values.items()
        if isinstance(name, str) and "." in name and name in state
        if state[name].shape == value.shape
    }


def all_numbers(values: Any) -> bool:
    """Return whether all values are plain numbers, such as the losses of a training loop."""
    return all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)


def all_text(values: Any) -> bool:
    """Return whether all values are strings, such as the names of classes."""
    return all(isinstance(value, str) for value in values)


def _holds_objects(value: Any) -> bool:
    """Return whether it is an array of objects, such as the axes of a figure."""
    return isinstance(value, np.ndarray) and value.dtype == object


def _is_atom(value: object) -> bool:
    kinds = (
        type(None),
        bool,
        int,
        float,
        complex,
        str,
        bytes,
        np.ndarray,
        np.generic,
        torch.dtype,
        torch.device,
        torch.Size,
        type,
    )
    return isinstance(value, kinds)


def _is_plainly(value: object, abstract: type, built_in: type | tuple[type, ...]) -> bool:
    """Return whether a container's items can be read without running the user's code."""
    return is_a(value, built_in) or (is_library(type(value)) and is_a(value, abstract))


def _kind(value: object) -> str:
    return f"a {type(value).__name__}"
