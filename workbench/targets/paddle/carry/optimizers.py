"""The state of a torch optimizer beside that of its Paddle counterpart, parameter by parameter."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch

from workbench.targets.bridge import Mismatch, Slot

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


def slots(
    optimizer: torch.optim.Optimizer,
    twin: Any,
    partner: Callable[[torch.Tensor], Slot | None],
) -> Iterable[Slot | Mismatch]:
    """Every state tensor, named `<parameter>.<state>` by the parameter's name where known."""
    accumulators = getattr(twin, "_accumulators", {})
    for index, parameter in enumerate(p for g in optimizer.param_groups for p in g["params"]):
        state = optimizer.state.get(parameter, {})
        slot = partner(parameter)
        for name, tensor in state.items():
            if name in _COUNTERS or not isinstance(tensor, torch.Tensor):
                continue
            label = f"{slot.name if slot else index}.{name}"
            places = slot and _places(accumulators, _STATE.get(name, ()), slot)
            if not slot or not places:
                yield Mismatch(label, f"Paddle's {type(twin).__name__} keeps no such state")
                continue
            yield Slot(label, tensor, places, slot.split, slot.join)


def _places(accumulators: Any, names: tuple[str, ...], slot: Slot) -> tuple[Any, ...]:
    for name in names:
        by_parameter = accumulators.get(name, {})
        places = tuple(by_parameter.get(place.name) for place in slot.places)
        if all(place is not None for place in places):
            return places
    return ()
