"""The arguments of torch's schedules that the schedules do not keep under the arguments' names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from torch.optim import lr_scheduler
from torch.optim.swa_utils import SWALR

from workbench.targets.bridge import CarryError


def unkept(schedule: Any) -> dict[str, Any]:
    """Return the arguments that made a schedule and have other names in it, at its start."""
    found: dict[str, Any] = {}
    for kind, arguments in _UNKEPT.items():
        if isinstance(schedule, kind):
            found |= arguments(schedule)
    return found


def _lambdas(schedule: Any) -> dict[str, Any]:
    return {"lr_lambda": _by_group(schedule.lr_lambdas)}


def _milestones(schedule: Any) -> dict[str, Any]:
    return {"milestones": sorted(Counter(schedule.milestones).elements())}


def _plateau(schedule: Any) -> dict[str, Any]:
    rates = set(schedule.min_lrs)
    if len(rates) > 1:
        raise CarryError("its groups have different lowest rates")
    return {"min_lr": rates.pop()}


def _one_cycle(schedule: Any) -> dict[str, Any]:
    groups, phases = schedule.optimizer.param_groups, schedule._schedule_phases
    first = groups[0]
    found = {
        "max_lr": _by_group([group["max_lr"] for group in groups]),
        "pct_start": _rounded((phases[0]["end_step"] + 1) / schedule.total_steps),
        "div_factor": _rounded(first["max_lr"] / first["initial_lr"]),
        "final_div_factor": _rounded(first["initial_lr"] / first["min_lr"]),
        "anneal_strategy": schedule._anneal_func_type,
        "three_phase": len(phases) == 3,
    }
    return found | _momentum(schedule, first.get("base_momentum"), first.get("max_momentum"))


def _cyclic(schedule: Any) -> dict[str, Any]:
    up = _rounded(schedule.total_size * schedule.step_ratio)
    found = {
        "base_lr": _by_group(schedule.base_lrs),
        "max_lr": _by_group(schedule.max_lrs),
        "step_size_up": _whole(up),
        "step_size_down": _whole(schedule.total_size - up),
        "scale_fn": schedule._scale_fn_custom,
    }
    if not schedule.cycle_momentum:
        return found
    return found | _momentum(
        schedule, _by_group(schedule.base_momentums), _by_group(schedule.max_momentums)
    )


def _momentum(schedule: Any, lowest: Any, highest: Any) -> dict[str, Any]:
    if not schedule.cycle_momentum:
        return {}
    return {"base_momentum": lowest, "max_momentum": highest}


def _averaged(schedule: Any) -> dict[str, Any]:
    groups = schedule.optimizer.param_groups
    return {
        "swa_lr": _by_group([group["swa_lr"] for group in groups]),
        "anneal_strategy": schedule._anneal_strategy,
    }


def _by_group(values: list[Any]) -> Any:
    """Return the value of a single group, or the list of them."""
    return values[0] if len(values) == 1 else list(values)


def _rounded(value: float) -> float:
    """Return a quotient of arguments as it was written, such as 25.0."""
    return float(f"{value:.12g}")


def _whole(value: float) -> float:
    """Return a number of steps, which torch keeps as a float, as the integer that it is."""
    return int(value) if value == int(value) else value


_UNKEPT: dict[type, Callable[[Any], dict[str, Any]]] = {
    lr_scheduler.LambdaLR: _lambdas,
    lr_scheduler.MultiplicativeLR: _lambdas,
    lr_scheduler.MultiStepLR: _milestones,
    lr_scheduler.ReduceLROnPlateau: _plateau,
    lr_scheduler.OneCycleLR: _one_cycle,
    lr_scheduler.CyclicLR: _cyclic,
    SWALR: _averaged,
}
