"""A verification from its start to its end: pairing, then every check."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from traceback import extract_tb
from typing import Any

import torch

from workbench.errors import TorchferryError
from workbench.targets.bridge import load_bridge
from workbench.targets.port import load_ports
from workbench.verify import checks
from workbench.verify.loading import load
from workbench.verify.pairing import (
    Pairing,
    Side,
    candidates,
    held_once,
    read_map,
    side_of_original,
)
from workbench.verify.places import Births, Place
from workbench.verify.result import Check, Outcome, Verification, Where
from workbench.verify.sides import Sides
from workbench.verify.task import Asked, task_of

Report = Callable[[str], None]


def verify_files(
    original: str, port: str, asked: Asked, target: str = "paddle", report: Report = print
) -> Verification:
    """Hold a port against its original, both named as `FILE:NAME`.

    Raises:
        TorchferryError: one of them does not run, or cannot be called so.
    """
    bridge, ports, births = load_bridge(target), load_ports(target), Births()
    report(f"running {original}")
    torch.manual_seed(0)
    ours = load(original, torch.nn.Module, births, torch.optim.Optimizer)
    model = ours.make()
    report(f"running {port}")
    theirs = load(port, ports.module_kind, births, ports.optimizer_kind)
    twin = theirs.make()
    sides = Sides(model, twin, task_of(asked, ours, theirs), bridge, ports)
    sides.port_file = theirs.file.resolve()
    with births.noting(torch.optim.Optimizer, ports.optimizer_kind):
        return verify(sides, births, asked.maps, report)


def verify(sides: Sides, births: Births, maps: tuple[str, ...], report: Report) -> Verification:
    """Hold live models against each other."""
    found = Verification()
    if sides.has_weights:
        report("pairing their tensors")
        pairing = _paired(sides, tuple(read_map(text) for text in maps))
        found.pairs = [str(pair) for pair in pairing.pairs]
        found.doubts = [str(pair) for pair in pairing.pairs if pair.how == "parts"]
        found.checks.append(checks.construction(sides, pairing, births))
    found.checks.append(
        _attempt("forward in evaluation", lambda: _single(sides, births), sides.port_file)
    )
    if found.checks[-1].outcome is Outcome.SKIPPED:
        raise TorchferryError(found.checks[-1].summary)
    if found.checks[-1].outcome is Outcome.DIFFERS:
        return found
    try:
        with sides.precise():
            checks.forward_figures(sides, training=False)
            found.precise = True
    except TorchferryError:
        raise
    except Exception:  # a port that says float32 somewhere
        found.precise = False
    if found.precise:
        with sides.precise():
            found.checks += _all(sides, births, report)
    else:
        found.checks += _all(sides, births, report)
    return found


def _all(sides: Sides, births: Births, report: Report) -> list[Check]:
    """Every check that one precision serves."""
    found = []
    steps: list[tuple[str, Callable[[], Check]]] = [
        ("forward in evaluation", lambda: checks.forward(sides, births, training=False)),
        ("forward in training", lambda: checks.forward(sides, births, training=True)),
        ("other batch sizes", lambda: checks.batch_sizes(sides, births)),
        ("gradients", lambda: checks.gradients(sides, births)),
    ]
    if sides.task.optimizers is not None and sides.task.losses is not None:
        steps.append(("training", lambda: checks.training(sides, births)))
    if sides.has_weights:
        steps.append(("saved state loaded again", lambda: checks.state(sides)))
    for name, run in steps:
        report(name)
        found.append(_attempt(name, run, sides.port_file))
    return found


def _single(sides: Sides, births: Births) -> Check:
    """The forward pass in single precision: shapes and dtypes as well as values."""
    check = checks.forward(sides, births, training=False)
    check.name += ", single precision"
    return check


def _attempt(name: str, run: Callable[[], Check], port: Path | None) -> Check:
    try:
        return run()
    except TorchferryError:
        raise
    except Exception as error:
        from workbench.capture.explain import innermost_line

        where = innermost_line(error)
        summary = f"{where + ': ' if where else ''}{type(error).__name__}: {error}"[:500]
        line = next(_lines(error, port), None) if port else None
        if line is not None:
            what = f"{type(error).__name__}, where the original runs"
            return Check(name, Outcome.DIFFERS, summary, places=[Where(str(line), "", what)])
        return Check(name, Outcome.SKIPPED, summary)


def _lines(error: Exception, port: Path) -> Iterator[Place]:
    """The lines of the port that an error came from, the innermost first."""
    for frame in reversed(extract_tb(error.__traceback__)):
        if Path(frame.filename).resolve() == port:
            yield Place(frame.filename, frame.lineno or 0)


def _paired(sides: Sides, maps: tuple[Any, ...]) -> Pairing:
    """The pairing under which outputs agree; else that under which they differ least."""
    ours = side_of_original(sides.ours)
    held = held_once(sides.ports.held(sides.theirs))
    raw = frozenset(name for name in held if sides.ports.raw(sides.theirs, name))
    theirs = Side({n: tuple(one.read().shape) for n, one in held.items()}, raw)
    best: tuple[float, Pairing] | None = None
    for pairing in candidates(ours, theirs, maps):
        sides.pairs = pairing.pairs
        sides.carry()
        try:
            figures = checks.forward_figures(sides, training=False)
            off = sum((f.difference or 1e9) for f in figures if not f.same)
        except Exception:  # told by the check itself
            off = float("inf")
        if best is None or off < best[0]:
            best = off, pairing
        if off == 0:
            break
    assert best is not None
    sides.pairs = best[1].pairs
    sides.carry()
    return best[1]
