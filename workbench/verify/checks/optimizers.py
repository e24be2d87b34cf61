"""Comparison of the settings of both sides' optimizers."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import torch

from workbench.targets.port import Ports
from workbench.verify.result import Where
from workbench.verify.sides.literals import is_used_elsewhere, line_of_keyword, line_of_value
from workbench.verify.sides.places import Births, Place, is_users


def differing_settings(ports: Ports, ours: Any, theirs: Any) -> dict[str, str]:
    """Return, by name, a sentence for each setting of the port's optimizer that no original group
    has.
    """
    found = {}
    for name, value in ports.optimizer_settings(theirs).items():
        wanted = [group[name] for group in ours.param_groups if name in group]
        if not wanted or any(isinstance(one, torch.Tensor) for one in wanted):
            continue
        if not any(_close(one, value) for one in wanted):
            original = " or ".join(dict.fromkeys(map(str, wanted)))
            found[name] = f"{name} is {value} in the port and {original} in the original"
    return found


def _close(wanted: Any, value: Any) -> bool:
    pairs = zip(_flat(wanted), _flat(value), strict=False)
    return all(abs(a - b) <= 1e-6 * max(abs(a), abs(b)) for a, b in pairs)


def places_of_optimizers(
    ports: Ports,
    births: Births,
    ours: Any,
    theirs: Any,
    *,
    apart: Collection[torch.Tensor] = (),
    clipped: bool = False,
    rates_agree: bool = False,
) -> list[Where]:
    """Return where the optimizers were created, with the settings that differ if any do.

    Args:
        ports: the port's side.
        births: where the optimizers were created.
        ours: the original's optimizer.
        theirs: the port's optimizer.
        apart: the original's weights whose results differ.
        clipped: the original clips its gradients.
        rates_agree: the step had one learning rate; the rates may have changed since.
    """
    places = str(births.of(theirs) or ""), str(births.of(ours) or "")
    differing = differing_settings(ports, ours, theirs)
    if rates_agree:
        differing.pop("lr", None)
    if differing:
        values, born = ports.optimizer_settings(theirs), births.of(theirs)
        found = [
            Where(place, places[1], "the optimizer", cause)
            for name, cause in differing.items()
            for place in _lines_of_setting(born, values[name])
        ]
        schedule = ports.schedule(theirs)
        if (
            "lr" in differing
            and schedule is not None
            and (line := line_of_schedule(schedule, births))
        ):
            found.insert(
                0, Where(line, places[1], "the schedule of the learning rate", differing["lr"])
            )
        return found
    names = type(theirs).__name__, type(ours).__name__
    what = f"{names[0]} computes other weights from equal gradients than the original's {names[1]}"
    keywords, cause = _likely(ports, ours, theirs, apart, clipped)
    born = births.of(theirs)
    given = line_of_keyword(born, *keywords) if born else None
    return [Where(str(given or places[0]), places[1], what, cause)]


def _likely(
    ports: Ports, ours: Any, theirs: Any, apart: Collection[torch.Tensor], clipped: bool
) -> tuple[tuple[str, ...], str]:
    """Return the likely arguments and the cause if two optimizers have equal settings."""
    decay = ports.optimizer_settings(theirs).get("weight_decay")
    groups = [] if decay is None else [g for g in ours.param_groups if "weight_decay" in g]
    groups = [group for group in groups if not _close(group["weight_decay"], decay)]
    unlike = {id(weight) for group in groups for weight in group["params"]}
    if apart and unlike.issuperset(map(id, apart)):
        original = " or ".join(dict.fromkeys(str(group["weight_decay"]) for group in groups))
        cause = (
            f"weight_decay is {decay} in the port and {original} in the original for these weights"
        )
        return ("apply_decay_param_fun", "weight_decay", "parameters"), cause
    names = tuple(type(side).__name__.lower() for side in (theirs, ours))
    alike = names[0] == names[1] or names == ("momentum", "sgd")
    if clipped and alike and ports.clips(theirs):
        return ("grad_clip",), "both sides clip their gradients, with different results"
    return (), ""


def _lines_of_setting(born: Place | None, value: Any) -> list[str]:
    """Return the line that sets a value and the line that uses it, the likelier first.

    If other code uses the value as well, the value itself is probably right.
    """
    written = born and line_of_value(born, value)
    if born is None or written is None or written == born:
        return [str(born or "")]
    lines = [str(written), str(born)]
    return lines[::-1] if is_used_elsewhere(written, born) else lines


def line_of_schedule(schedule: Any, births: Births) -> str:
    """Return the line of the schedule's user-defined function, or of the schedule's creation."""
    for value in vars(schedule).values():
        code = getattr(value, "__code__", None)
        if code is not None and is_users(code.co_filename):
            return str(Place(code.co_filename, code.co_firstlineno))
    return str(births.of(schedule) or "")


def _flat(value: Any) -> list[float]:
    return [float(v) for v in value] if isinstance(value, list | tuple) else [float(value)]
