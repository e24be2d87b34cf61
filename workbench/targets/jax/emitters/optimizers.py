"""Torch optimizers as optax transformations, with their settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workbench.lower.backend import LowerError
from workbench.targets.jax.emitters import schedules

if TYPE_CHECKING:
    import torch
    from torch.optim.lr_scheduler import LRScheduler

Group = Mapping[str, Any]


def transformation(
    optimizer: torch.optim.Optimizer,
    names: Mapping[int, Sequence[str]],
    schedule: LRScheduler | None = None,
) -> str:
    """Return the expression that creates the transformation of an optimizer.

    Args:
        optimizer: a torch optimizer that has made no step.
        names: by the `id` of each parameter, the module's attributes that hold it. A tied
            parameter has several; the module's state has one of them.
        schedule: a schedule of its rate that steps after each step of the optimizer.

    Raises:
        LowerError: the optimizer has made steps, or optax cannot do the same.
    """
    kind = type(optimizer).__name__
    if any(float(state.get("step", 0)) for state in optimizer.state.values()):
        raise LowerError(
            f"the {kind} has already made steps; lower the training before the first step"
        )
    if kind not in _WRITE or type(optimizer).__module__.partition(".")[0] != "torch":
        raise LowerError(
            f"optax has no exact counterpart of {kind}; use one of {', '.join(_WRITE)}"
        )
    groups: list[Any] = optimizer.param_groups
    if schedule is not None:
        double = any(p.element_size() > 4 for group in groups for p in group["params"])
        bases = (float(group["initial_lr"]) for group in groups)
        rates = [schedules.rate(schedule, base, double=double) for base in bases]
        groups = [{**group, "lr": rate} for group, rate in zip(groups, rates, strict=True)]
    each = [_written(kind, group) for group in groups]
    held = [[name for p in group["params"] for name in names.get(id(p), ())] for group in groups]
    if schedule is not None and any(re.search(r"\b_[a-z]", one) for one in each):
        raise LowerError(
            f"{kind} with these settings accepts no schedule in JAX; use a constant learning rate"
        )
    if len(groups) == 1 and len(held[0]) == sum(map(len, names.values())):
        return each[0]
    return f"_by_group({held}, [{', '.join(each)}])"


def _written(kind: str, group: Group) -> str:
    parts = []
    if group.get("maximize"):
        parts.append("optax.scale(-1.0)")
    decoupled = kind == "AdamW" or bool(group.get("decoupled_weight_decay"))
    decay = float(group.get("weight_decay") or 0)
    if decay and not decoupled:
        parts.append(f"optax.add_decayed_weights({decay!r})")
    parts.append(_WRITE[kind](group))
    if decay and decoupled and not parts[-1].startswith("optax.adamw"):
        if isinstance(group["lr"], str):
            raise LowerError(f"{kind} with decoupled weight decay accepts no schedule in JAX")
        # It follows the step: torch first shrinks the weight by the rate.
        parts.append(f"optax.add_decayed_weights({-float(group['lr']) * decay!r})")
    return parts[0] if len(parts) == 1 else f"optax.chain({', '.join(parts)})"


def _rate(group: Group) -> str:
    """Return the rate, or the expression of its schedule."""
    rate = group["lr"]
    return rate if isinstance(rate, str) else repr(float(rate))


def _betas(group: Group) -> str:
    return ", ".join(repr(float(beta)) for beta in group["betas"])


def _sgd(group: Group) -> str:
    momentum, nesterov = group["momentum"], bool(group["nesterov"])
    if group["dampening"] and momentum:
        return f"_sgd({_rate(group)}, {momentum!r}, {group['dampening']!r}, {nesterov})"
    rest = f", momentum={momentum!r}" if momentum else ""
    return f"optax.sgd({_rate(group)}{rest}{', nesterov=True' if nesterov else ''})"


def _adam(group: Group) -> str:
    b1, b2 = _betas(group).split(", ")
    if group["amsgrad"]:
        return f"_amsgrad({_rate(group)}, {b1}, {b2}, {group['eps']!r})"
    return f"optax.adam({_rate(group)}, b1={b1}, b2={b2}, eps={group['eps']!r})"


def _adamw(group: Group) -> str:
    if group["amsgrad"]:
        return _adam(group)
    settings = _adam(group).removeprefix("optax.adam(").removesuffix(")")
    return f"optax.adamw({settings}, weight_decay={float(group['weight_decay'])!r})"


def _rmsprop(group: Group) -> str:
    options = f"decay={group['alpha']!r}, eps={group['eps']!r}, eps_in_sqrt=False"
    options += ", centered=True" if group["centered"] else ""
    options += f", momentum={group['momentum']!r}" if group["momentum"] else ""
    return f"optax.rmsprop({_rate(group)}, {options})"


def _adagrad(group: Group) -> str:
    rest = f"{group['lr_decay']!r}, {group['initial_accumulator_value']!r}, {group['eps']!r}"
    return f"_adagrad({_rate(group)}, {rest})"


# By the name of torch's class, functions that write the step itself without its wrappers.
_WRITE: dict[str, Callable[[Group], str]] = {
    "SGD": _sgd,
    "Adam": _adam,
    "AdamW": _adamw,
    "Adamax": lambda g: f"optax.adamax({_rate(g)}, {_betas(g)}, eps={g['eps']!r})",
    "NAdam": lambda g: f"_nadam({_rate(g)}, {_betas(g)}, {g['eps']!r}, {g['momentum_decay']!r})",
    "RAdam": lambda g: f"_radam({_rate(g)}, {_betas(g)}, {g['eps']!r})",
    "RMSprop": _rmsprop,
    "Adagrad": _adagrad,
    "Adadelta": lambda g: f"optax.adadelta({_rate(g)}, rho={g['rho']!r}, eps={g['eps']!r})",
    "ASGD": lambda g: f"_asgd({_rate(g)}, {g['lambd']!r}, {g['alpha']!r})",
    "Rprop": lambda g: f"_rprop({_rate(g)}, {g['etas']}, {g['step_sizes']})",
}
