"""Correspondence of the state of torch's optimizers with that of optax."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import jax.numpy as jnp
import torch
from flax import nnx

from workbench.targets.bridge import CarryError, Mismatch, Slot
from workbench.targets.jax.carry import modules

# The parts of torch's state by the fields of optax's.
_FIELDS = {
    "exp_avg": "mu",
    "exp_avg_sq": "nu",
    "momentum_buffer": "trace",
    "square_avg": "nu",
    "sum": "sum_of_squares",
}
# Attributes of a schedule in torch, and in the short classes of converted code.
_POSITION = {
    "last_epoch": "last_epoch",
    "num_bad_epochs": "num_bad_epochs",
    "cooldown_counter": "waiting",
}
_COUNT = "count"
_RATE = "learning_rate"  # of `optax.inject_hyperparams`


def slots(
    optimizer: torch.optim.Optimizer, twin: Any, partner: Callable[[torch.Tensor], Slot | None]
) -> Iterator[Slot | Mismatch]:
    """Yield the tensors of torch's state with optax's variables, in the layout of the parameter."""
    held = _variables(twin)
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            state = optimizer.state.get(parameter)
            place = partner(parameter)
            if not state or place is None:
                continue
            for key, value in state.items():
                field = _FIELDS.get(key)
                if field is None or not isinstance(value, torch.Tensor):
                    continue
                found = _places(held, field, place)
                name = f"{place.name}.{key}" if place.name else key
                if found is None:
                    yield Mismatch(name, "optax keeps it in another form")
                else:
                    yield replace(place, name=name, source=value, places=found, uncorrected=False)


def prepare(optimizer: torch.optim.Optimizer, twin: Any) -> None:
    """Set the counts of steps.

    Raises:
        CarryError: torch's state has a part that optax does not have, or the counts differ.
    """
    steps = {
        int(state["step"])
        for state in optimizer.state.values()
        if state and state.get("step") is not None
    }
    if len(steps) > 1:
        raise CarryError("its parameters have taken different numbers of steps")
    known = {"step", *_FIELDS}
    for state in optimizer.state.values():
        others = [key for key, value in state.items() if value is not None and key not in known]
        if others:
            raise CarryError(f"its state {others[0]} has no counterpart in optax")
    rates = {float(group["lr"]) for group in optimizer.param_groups}
    for path, variable in _variables(twin):
        if path[-1] == _RATE and len(rates) == 1:
            variable.set_value(jnp.asarray(min(rates), variable.get_value().dtype))
    if not steps:
        return
    count = jnp.asarray(steps.pop())
    twin.step.set_value(count.astype(twin.step.get_value().dtype))
    for path, variable in _variables(twin):
        if path[-1] == _COUNT:
            variable.set_value(count.astype(variable.get_value().dtype))


def prepare_schedule(schedule: Any, twin: Any) -> None:
    """Set the position of a schedule, which converted code keeps in a short class."""
    if hasattr(twin, "base"):
        twin.base = float(schedule.base_lrs[0])
    for name, own in _POSITION.items():
        if hasattr(schedule, name) and hasattr(twin, own):
            setattr(twin, own, getattr(schedule, name))
    if isinstance(getattr(twin, "best", None), float) and hasattr(schedule, "best"):
        twin.best = getattr(twin, "sign", 1) * float(schedule.best)
    rates = {float(group["lr"]) for group in schedule.optimizer.param_groups}
    rate = getattr(twin, "rate", None)
    if isinstance(rate, nnx.Variable) and len(rates) == 1:
        rate.set_value(jnp.asarray(min(rates), rate.get_value().dtype))


def _variables(twin: Any) -> list[tuple[tuple[Any, ...], Any]]:
    """Return the variables of an optimizer's state by their paths."""
    return list(nnx.to_flat_state(nnx.state(twin, nnx.OptState)))


def _places(
    held: list[tuple[tuple[Any, ...], Any]], field: str, place: Slot
) -> tuple[Any, ...] | None:
    """Return the variables of a field for a parameter's variables, or None."""
    found = []
    for path in place.paths if isinstance(place, modules.Held) else ((),):
        match = [
            one
            for known, one in held
            if path and known[-len(path) :] == path and field in known[: -len(path)]
        ]
        if len(match) != 1:
            return None
        found.append(match[0])
    return tuple(found)
