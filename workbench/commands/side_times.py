"""The time of a forward pass in torch and in a port."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import torch

from workbench.targets.port import load_ports
from workbench.verify.sides.loading import Source, eval_mode, load
from workbench.verify.sides.places import Births
from workbench.verify.sides.sides import Sides
from workbench.verify.sides.task import Asked, task_of

_RUNS = 5
_LONGEST = 20.0  # seconds of all runs of one side


def side_times(ours: Source, place: str, inputs: tuple[str, ...], target: str) -> dict[str, float]:
    """Return the median milliseconds of a forward pass in evaluation, on the same inputs.

    Args:
        ours: the original.
        place: the port, as `FILE:NAME`.
        inputs: the inputs, as `verify` takes them.
        target: the port's framework.
    """
    ports = load_ports(target)
    theirs = load(place, ports.module_kind, Births(), ports.optimizer_kind, ports.needs)
    model, twin = ours.make(), theirs.make()
    sides = Sides(model, twin, task_of(Asked(inputs=inputs), ours, theirs, model), ports)
    args, kwargs, _ = sides.inputs()

    def given(value: Any) -> Any:
        return sides.given(value) if isinstance(value, torch.Tensor) else value

    port_args = [given(one) for one in args]
    port_kwargs = {name: given(one) for name, one in kwargs.items()}
    for one in (model, twin):
        eval_mode(one, training=False)
    return {
        "original": _timed(torch.no_grad, lambda: model(*args, **kwargs)),
        "port": _timed(ports.without_gradients, lambda: twin(*port_args, **port_kwargs)),
    }


def _timed(quiet: Callable[[], AbstractContextManager[Any]], run: Callable[[], Any]) -> float:
    found: list[float] = []
    with quiet():
        run()
        while len(found) < _RUNS and sum(found) < _LONGEST:
            started = time.perf_counter()
            run()
            found.append(time.perf_counter() - started)
    return round(1000 * statistics.median(found), 3)
