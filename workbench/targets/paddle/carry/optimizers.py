"""The state of a torch optimizer with that of its Paddle counterpart, parameter by parameter.

Helpers of converted code have torch's arithmetic and state. Paddle's own optimizers have
accumulators, which hold the same numbers under other names.
"""

from __future__ import annotations

import copy
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import paddle
import torch

from workbench.targets.bridge import CarryError, Mismatch, Slot
from workbench.targets.paddle.carry import tensors

# torch's names of state tensors, with Paddle's names of accumulators with the same numbers.
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
    "prev": ("prevs",),
    "step_size": ("learning_rates",),
}
# A tensor's key in a state dict of Paddle's optimizer, or in one that converted code makes of it.
_NAMES = "|".join(sorted({name for names in _STATE.values() for name in names}))
_ACCUMULATOR = re.compile(rf"(?P<parameter>.+)_(?P<name>{_NAMES})_\d+")
_NUMBERED = re.compile(rf"(?P<name>{_NAMES})\.(?P<parameter>\d+)")
# Settings of saved schedules and scalers, with Paddle's names.
_SAVED = {
    "last_epoch": "last_epoch",
    "best": "best",
    "num_bad_epochs": "num_bad_epochs",
    "cooldown_counter": "cooldown_counter",
    "scale": "scale",
    "growth_factor": "incr_ratio",
    "backoff_factor": "decr_ratio",
    "growth_interval": "incr_every_n_steps",
    "_growth_tracker": "incr_count",
}
# Values that depend on the number of steps: Paddle stores powers of the betas instead.
_COUNTERS = {"step", "mu_product"}

Partner = Callable[[torch.Tensor], Slot | None]


def is_optimizer(value: object) -> bool:
    """Return whether a value is an optimizer of Paddle or of converted code."""
    return isinstance(value, paddle.optimizer.Optimizer) or _is_torch_like(value)


def learning_rate(optimizer: Any) -> float:
    """Return the rate of the next step, that of the first group if groups differ."""
    if _is_torch_like(optimizer):
        return float(optimizer.param_groups[0]["lr"])
    return float(optimizer.get_lr())


def scheduled_rate(scheduler: Any) -> float | None:
    """Return the rate that a schedule has set last, that of the first group if groups differ."""
    if isinstance(scheduler, paddle.optimizer.lr.LRScheduler):
        return float(scheduler.last_lr)
    asked = getattr(scheduler, "get_last_lr", None)
    return None if asked is None else float(asked()[0])


def without_state(optimizer: Any) -> Any:
    """Return an optimizer of the same parameters that has taken no step."""
    made = copy.copy(optimizer)
    if _is_torch_like(optimizer):
        made.param_groups = [dict(group) for group in optimizer.param_groups]
        made.state = type(optimizer.state)()
    else:
        made._accumulators = defaultdict(dict)
        made._already_create_accumulator = set()
    return made


def slots(
    optimizer: torch.optim.Optimizer, twin: Any, partner: Partner
) -> Iterable[Slot | Mismatch]:
    """Yield every state tensor, named `<parameter>.<state>` by the parameter's name if known."""
    for index, parameter in enumerate(p for g in optimizer.param_groups for p in g["params"]):
        slot = partner(parameter)
        for name, tensor in optimizer.state.get(parameter, {}).items():
            if name in _COUNTERS or not isinstance(tensor, torch.Tensor):
                continue
            label = f"{slot.name if slot else index}.{name}"
            places = slot and _places(twin, name, slot)
            if not slot or not places:
                yield Mismatch(label, f"Paddle's {type(twin).__name__} does not keep this state")
                continue
            yield Slot(label, tensor, places, slot.split, slot.join)


def saved_slots(
    optimizer: torch.optim.Optimizer,
    state: Mapping[str, Any],
    held: Mapping[str, Any],
    partner: Partner,
) -> list[Slot]:
    """Return the tensors of a saved state with their places in a state dict of Paddle's optimizer.

    The list is empty if one is missing there. Paddle's keys have names of parameters. A dict of an
    optimizer of other parameters, such as one from a file, has its tensors in the same order, and
    so has one of a helper, whose numbers count more parameters than torch's.
    """
    kept = _by_accumulator(held)
    found = []
    for index, number, parameter in _numbered(optimizer, state):
        slot = partner(parameter)
        for name, tensor in state["state"].get(number, {}).items():
            if name in _COUNTERS or not isinstance(tensor, torch.Tensor):
                continue
            known = next((each for each in (name, *_STATE.get(name, ())) if kept.get(each)), None)
            if not slot or not known:
                return []
            names = [place.name for place in slot.places]
            if not kept[known].keys() >= set(names):
                names = list(kept[known])[:1]
            places = tuple(kept[known].pop(each) for each in names)
            if [place.shape for place in places] != [place.shape for place in slot.places]:
                return []
            label = f"{slot.name or index}.{name}"
            found.append(Slot(label, tensor, places, slot.split, slot.join))
    return found


def _by_accumulator(held: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the tensors of a state dict by their kind and parameter, in the dict's order."""
    kept: dict[str, dict[str, Any]] = defaultdict(dict)
    for number, values in held.get("state", {}).items():  # as helpers of converted code save it
        for name, value in values.items():
            if isinstance(value, paddle.Tensor):
                kept[name][number] = value
    for key, value in held.items():
        match = _ACCUMULATOR.fullmatch(key) or _NUMBERED.fullmatch(key)
        if match and isinstance(value, paddle.Tensor):
            kept[match["name"]][match["parameter"]] = value
    return kept


def _numbered(
    optimizer: torch.optim.Optimizer, state: Mapping[str, Any]
) -> Iterable[tuple[int, Any, torch.Tensor]]:
    """Yield the index, the number in a saved state, and the parameter of each."""
    parameters = [each for group in optimizer.param_groups for each in group["params"]]
    numbers = [number for group in state["param_groups"] for number in group["params"]]
    for index, (number, parameter) in enumerate(zip(numbers, parameters, strict=True)):
        yield index, number, parameter


def in_torch_names(held: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers of a schedule's, scaler's or optimizer's saved state by torch's names."""
    schedule = held.get("LR_Scheduler", held)
    values = (
        {}
        if schedule is not held
        else {name: held[kept] for name, kept in _SAVED.items() if kept in held}
    )
    if "last_lr" in schedule:
        values["lr"] = float(schedule["last_lr"])
    elif isinstance(held.get("lr"), float):
        values["lr"] = held["lr"]
    if "scale" in values:
        values["scale"] = float(np.asarray(values["scale"]).reshape(-1)[0])
    return values


def prepare(optimizer: torch.optim.Optimizer, twin: Any, partner: Partner) -> None:
    """Copy the settings and the state of torch's optimizer to a new twin."""
    if not _is_torch_like(twin):
        _prepare_native(optimizer, twin, partner)
        return
    for group, other in zip(optimizer.param_groups, twin.param_groups, strict=True):
        known = other.keys() - {"params"} | {"initial_lr"}  # a schedule stores it
        other.update({k: v for k, v in group.items() if k in known})
    for parameter, state in optimizer.state.items():
        slot = partner(parameter)
        if slot is None or len(slot.places) != 1:
            raise CarryError("one of its parameters has no single counterpart")
        twin.state[slot.places[0]] = {
            name: _state_value(name, value, slot) for name, value in state.items()
        }


def _prepare_native(optimizer: torch.optim.Optimizer, twin: Any, partner: Partner) -> None:
    """Set Paddle's own optimizer to torch's rate, and create its accumulators.

    The moments are written through their slots; values that depend on the number of steps are
    computed here.
    """
    rates = {float(group["lr"]) for group in optimizer.param_groups}
    if len(rates) != 1:
        raise CarryError(
            "its groups have different learning rates, and Paddle's optimizer has only one"
        )
    if not isinstance(twin._learning_rate, paddle.optimizer.lr.LRScheduler):
        twin.set_lr(rates.pop())
    block = paddle.base.framework.default_main_program().global_block()
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            state = optimizer.state.get(parameter)
            if not state:
                continue
            slot = partner(parameter)
            if slot is None:
                raise CarryError("one of its parameters has no counterpart")
            twin._create_accumulators(block, list(slot.places))
            for place in slot.places:
                _count_steps(twin, place, group, state)


def _count_steps(twin: Any, place: Any, group: Mapping[str, Any], state: Mapping[str, Any]) -> None:
    """Set the values that depend on the number of torch's steps with a parameter."""
    steps = int(state.get("step", 0))
    first, second = group.get("betas", (0.0, 0.0))
    values = {
        "beta1_pow_acc": first ** (steps + 1),
        "beta2_pow_acc": second ** (steps + 1),
        "beta1_pow": first**steps,
        "beta2_pow": second**steps,
        "momentum_decay_pow": 0.96**steps,
        "mu_product": float(state.get("mu_product", 1.0)),
    }
    if "rho" in twin._accumulators:
        values["beta2_pow"], values["rho"] = _rectified(second, steps)
    for name, by_parameter in twin._accumulators.items():
        if name in values and place.name in by_parameter:
            kept = by_parameter[place.name]
            kept.set_value(paddle.full(kept.shape, values[name], kept.dtype))


def _rectified(beta: float, steps: int) -> tuple[float, float]:
    """Return RAdam's power and sum with the rounding of Paddle's kernel, which selects a branch by
    it.
    """
    one, power, total = np.float32(1), np.float32(1), np.float32(0)
    for _ in range(steps):
        power *= np.float32(beta)
        total = (total * (np.float32(beta) - power) + power) / (one - power)
    return float(power), float(total)


def schedule_parts(twin: Any) -> Sequence[Any]:
    """Return the schedules that the twin of a sequence or a chain runs, in order."""
    parts: Any = getattr(twin, "schedules", None) or getattr(twin, "_schedulers", ())
    return list(parts)


def prepare_scheduler(scheduler: Any, twin: Any, optimizer: Any) -> None:
    """Set the twin of a torch schedule, and those of its parts, to the state of torch's."""
    parts = getattr(scheduler, "_schedulers", ())
    for part, other in zip(parts, schedule_parts(twin), strict=True):
        prepare_scheduler(part, other, optimizer)
    plain = (bool, int, float, str, list, type(None))
    held = {
        key: value
        for key, value in vars(scheduler).items()
        if isinstance(value, plain) and key != "_schedulers"
    }
    if not isinstance(twin, paddle.optimizer.lr.LRScheduler):
        vars(twin).update({key: value for key, value in held.items() if key in vars(twin)})
        for group, other in zip(
            scheduler.optimizer.param_groups, optimizer.param_groups, strict=True
        ):
            other.update(lr=group["lr"], initial_lr=group["initial_lr"])
        return
    keys = {"T_cur", "T_i", "best", "cooldown_counter", "num_bad_epochs", "last_epoch"}
    vars(twin).update({key: held[key] for key in keys & held.keys() & vars(twin).keys()})
    twin.base_lr = float(scheduler.base_lrs[0]) if "base_lrs" in held else twin.base_lr
    if twin.last_epoch < 0:  # it waits in a sequence: torch has taken back its first step
        twin.last_epoch = 0
        twin.last_lr = float(twin.get_lr())
    else:
        twin.last_lr = float(scheduler.get_last_lr()[0])


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
