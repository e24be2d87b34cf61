"""The settings of both sides' optimizers, held against each other."""

from __future__ import annotations

from typing import Any

import torch

from workbench.targets.port import Ports
from workbench.verify.result import Where
from workbench.verify.sides.places import Births


def set_otherwise(ports: Ports, ours: Any, theirs: Any) -> dict[str, str]:
    """The settings of the port's optimizer that no group of the original's has, in sentences."""
    found = {}
    for name, value in ports.optimizer_settings(theirs).items():
        wanted = [group[name] for group in ours.param_groups if name in group]
        if not wanted or any(isinstance(one, torch.Tensor) for one in wanted):
            continue
        if not any(_close(one, value) for one in wanted):
            told = " or ".join(dict.fromkeys(map(str, wanted)))
            found[name] = f"{name} is {value} in the port and {told} in the original"
    return found


def _close(wanted: Any, value: Any) -> bool:
    pairs = zip(_flat(wanted), _flat(value), strict=False)
    return all(abs(a - b) <= 1e-6 * max(abs(a), abs(b)) for a, b in pairs)


def places_of_optimizers(ports: Ports, births: Births, ours: Any, theirs: Any) -> list[Where]:
    """Where the optimizers were made, with what was set otherwise where something was."""
    places = str(births.of(theirs) or ""), str(births.of(ours) or "")
    told = set_otherwise(ports, ours, theirs)
    if told:
        return [Where(*places, "the optimizer", cause) for cause in told.values()]
    return [Where(*places, f"{type(theirs).__name__} steps otherwise than {type(ours).__name__}")]


def _flat(value: Any) -> list[float]:
    return [float(v) for v in value] if isinstance(value, list | tuple) else [float(value)]
