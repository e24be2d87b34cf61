"""The state of a torch optimizer beside that of its Paddle counterpart, parameter by parameter.

Converted code has optimizers with torch's own arithmetic and state; code written for Paddle has
Paddle's, whose accumulators hold some of the same numbers under other names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import paddle
import torch

from workbench.targets.bridge import CarryError, Mismatch, Slot
from workbench.targets.paddle.carry import tensors

# torch's name of a state tensor -> Paddle's names of the accumulator that holds the same numbers.
_STATE = {
    "exp_avg": ("moment1", "moment"),
    "exp_avg_sq": ("moment2",),
    "max_exp_avg_sq": ("moment2_max",),
    "exp_inf": ("inf_norm",),
    "sum": ("moment",),
    "square_avg": ("mean_square", "_avg_squared_grad"),
    "grad_avg": ("mean_grad",),
    "acc_delta": ("_avg_squared_update",),
    "momentum_buffer": ("velocity", "momentum"),
}
# Counts of steps: Paddle keeps powers of the betas instead, which follow from them.
_COUNTERS = {"step"}

Partner = Callable[[torch.Tensor], Slot | None]


def is_optimizer(value: object) -> bool:
    """True for Paddle's optimizers and for those that converted code brings."""
    return isinstance(value, paddle.optimizer.Optimizer) or _is_torch_like(value)


def learning_rate(optimizer: Any) -> float:
    """The rate of the next step; that of the first group where groups differ."""
    if _is_torch_like(optimizer):
        return float(optimizer.param_groups[0]["lr"])
    return float(optimizer.get_lr())


def slots(
    optimizer: torch.optim.Optimizer, twin: Any, partner: Partner
) -> Iterable[Slot | Mismatch]:
    """Every state tensor, named `<parameter>.<state>` by the parameter's name where known."""
    for index, parameter in enumerate(p for g in optimizer.param_groups for p in g["params"]):
        slot = partner(parameter)
        for name, tensor in optimizer.state.get(parameter, {}).items():
            if name in _COUNTERS or not isinstance(tensor, torch.Tensor):
                continue
            label = f"{slot.name if slot else index}.{name}"
            places = slot and _places(twin, name, slot)
            if not slot or not places:
                yield Mismatch(label, f"{type(twin).__name__} keeps no such state here")
                continue
            yield Slot(label, tensor, places, slot.split, slot.join)


def prepare(optimizer: torch.optim.Optimizer, twin: Any, partner: Partner) -> None:
    """Give a new twin the settings and the state of torch's optimizer."""
    if not _is_torch_like(twin):
        if optimizer.state:
            raise CarryError("Paddle's own optimizers take no state before their first step")
        return
    for group, other in zip(optimizer.param_groups, twin.param_groups, strict=True):
        other.update({k: v for k, v in group.items() if k != "params" and k in other})
    for parameter, state in optimizer.state.items():
        slot = partner(parameter)
        if slot is None or len(slot.places) != 1:
            raise CarryError("one of its parameters has no single counterpart")
        twin.state[slot.places[0]] = {
            name: _state_value(name, value, slot) for name, value in state.items()
        }


def _state_value(name: str, value: Any, slot: Slot) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    if name in _COUNTERS:
        return paddle.to_tensor(float(value), dtype="float32", place=paddle.CPUPlace())
    return tensors.to_paddle(slot.split(value.detach())[0])


def _is_torch_like(value: object) -> bool:
    return isinstance(getattr(value, "param_groups", None), list) and hasattr(value, "state")


def _places(twin: Any, name: str, slot: Slot) -> tuple[Any, ...]:
    if _is_torch_like(twin):
        found = tuple(twin.state.get(place, {}).get(name) for place in slot.places)
        return found if all(place is not None for place in found) else ()
    accumulators = getattr(twin, "_accumulators", {})
    for known in _STATE.get(name, ()):
        by_parameter = accumulators.get(known, {})
        places = tuple(by_parameter.get(place.name) for place in slot.places)
        if all(place is not None for place in places):
            return places
    return ()
