"""Torch's learning rate schedules as functions of the step, in optax's terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from workbench.lower.backend import LowerError

if TYPE_CHECKING:
    from torch.optim.lr_scheduler import LRScheduler


def rate(schedule: LRScheduler, base: float, *, double: bool) -> str:
    """Return the expression of the rate as a function of the step.

    Args:
        schedule: a torch schedule without steps, which steps after each step of the optimizer.
        base: the initial rate of one group of parameters.
        double: whether the parameters have double precision; else optax computes in single.

    Raises:
        LowerError: the schedule has made steps, or has no exact form in optax.
    """
    if schedule.last_epoch:
        kind = type(schedule).__name__
        raise LowerError(
            f"the {kind} has already made steps; lower the training before the first step"
        )
    written = _written(schedule, base)
    return f"lambda step: ({written})(jnp.float64(step))" if double else written


def _written(schedule: LRScheduler, base: float) -> str:
    kind = type(schedule).__name__
    if kind not in _WRITE or not type(schedule).__module__.startswith("torch."):
        raise LowerError(
            f"optax has no exact counterpart of {kind}; use one of {', '.join(_WRITE)}"
        )
    return _WRITE[kind](schedule, base)


def _step(one: Any, base: float) -> str:
    settings = f"{one.step_size}, {one.gamma!r}, staircase=True"
    return f"optax.exponential_decay({base!r}, {settings})"


def _multi_step(one: Any, base: float) -> str:
    scales = {step: one.gamma**count for step, count in sorted(one.milestones.items())}
    return f"optax.piecewise_constant_schedule({base!r}, {scales})"


def _exponential(one: Any, base: float) -> str:
    return f"optax.exponential_decay({base!r}, 1, {one.gamma!r})"


def _cosine(one: Any, base: float) -> str:
    # optax's own stays at its end value, torch's increases again.
    low, half = float(one.eta_min), (base - one.eta_min) / 2
    floor = f"{low!r} + " if low else ""
    return f"lambda step: {floor}{half!r} * (1 + jnp.cos(jnp.pi * step / {one.T_max}))"


def _linear(one: Any, base: float) -> str:
    ends = f"{base * one.start_factor!r}, {base * one.end_factor!r}"
    return f"optax.linear_schedule({ends}, {one.total_iters})"


def _constant(one: Any, base: float) -> str:
    scales = {one.total_iters: 1 / one.factor}
    return f"optax.piecewise_constant_schedule({base * one.factor!r}, {scales})"


def _polynomial(one: Any, base: float) -> str:
    return f"optax.polynomial_schedule({base!r}, 0.0, {one.power!r}, {one.total_iters})"


def _sequential(one: Any, base: float) -> str:
    each = ", ".join(_written(part, base) for part in one._schedulers)
    return f"optax.join_schedules([{each}], {list(one._milestones)})"


# By the name of torch's class.
_WRITE: dict[str, Callable[[Any, float], str]] = {
    "StepLR": _step,
    "MultiStepLR": _multi_step,
    "ExponentialLR": _exponential,
    "CosineAnnealingLR": _cosine,
    "LinearLR": _linear,
    "ConstantLR": _constant,
    "PolynomialLR": _polynomial,
    "SequentialLR": _sequential,
}
