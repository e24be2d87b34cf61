"""States that torch saved: in files that it wrote, and of its optimizers."""

from __future__ import annotations

import copy
import io
import logging
import zipfile
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any

import torch

# The keys of the state dicts of optimizers, and of scalers of gradients.
OPTIMIZER = frozenset({"state", "param_groups"})
SCALER = frozenset(
    {"scale", "growth_factor", "backoff_factor", "growth_interval", "_growth_tracker"}
)
# Keys of the state dicts of all schedules.
_SCHEDULE = frozenset({"last_epoch", "_last_lr"})
log = logging.getLogger(__name__)


def saved_by_torch(file: Any) -> Any:
    """Return what torch saved to a file or buffer, or None if torch did not write it."""
    if isinstance(file, io.IOBase):
        place = file.tell()
        content = file.read()
        file.seek(place)
        file = io.BytesIO(content)
    if not zipfile.is_zipfile(file):
        return None
    try:
        return torch.load(file, map_location="cpu", weights_only=True)
    except Exception as error:
        log.debug("%s was not read as a file of torch", file, exc_info=error)
        return None


def with_state(
    optimizers: Iterable[torch.optim.Optimizer], state: dict[str, Any]
) -> tuple[torch.optim.Optimizer, torch.optim.Optimizer] | None:
    """Return the first optimizer that a state fits, and a copy of it in this state, or None."""
    for optimizer in optimizers:
        if fits(optimizer, state):
            made = copy.copy(optimizer)
            made.load_state_dict(state)
            return optimizer, made
    return None


def numbers(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers of a schedule's, scaler's or optimizer's state: its rate is `lr`.

    An optimizer whose groups have different rates has none.
    """
    if state.keys() == OPTIMIZER:
        rates = {float(group["lr"]) for group in state["param_groups"]}
    else:
        rates = set(map(float, state.get("_last_lr", ())))
    plain = {key: value for key, value in state.items() if isinstance(value, int | float)}
    return plain | ({"lr": rates.pop()} if len(rates) == 1 else {})


def kind_of(state: Mapping[Any, Any]) -> str:
    """Return what a state dict was saved from if it was no module: "optimizer" or another.

    It is "" for other mappings. A class of the user's own is not asked for its keys.
    """
    if type(state) not in (dict, OrderedDict):
        return ""
    if state.keys() == OPTIMIZER:
        return "optimizer"
    if state.keys() == SCALER:
        return "scaler"
    return "schedule" if state.keys() >= _SCHEDULE else ""


def fits(optimizer: torch.optim.Optimizer, state: Mapping[str, Any]) -> bool:
    """Return whether a state has the parameters and settings of an optimizer."""
    groups = state["param_groups"]
    if [len(each["params"]) for each in groups] != [
        len(each["params"]) for each in optimizer.param_groups
    ]:
        return False
    if not all(optimizer.defaults.keys() <= each.keys() for each in groups):
        return False
    parameters = [each for group in optimizer.param_groups for each in group["params"]]
    numbers = [number for group in groups for number in group["params"]]
    return all(
        held.dim() == 0 or held.shape == parameter.shape
        for number, parameter in zip(numbers, parameters, strict=True)
        for held in state["state"].get(number, {}).values()
        if isinstance(held, torch.Tensor)
    )
