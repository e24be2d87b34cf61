"""A verification from start to end: pairing, then every check."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path
from traceback import extract_tb
from typing import Any

import torch

from workbench.errors import TorchferryError
from workbench.targets import DEFAULT, of_kind
from workbench.targets.port import load_ports
from workbench.verify.checks.construction import assumed, construction, kept_unknown
from workbench.verify.checks.fresh import Samples, fresh_weights, samples_of
from workbench.verify.checks.passes import forward, forward_figures, gradients, state
from workbench.verify.checks.sizes import batch_sizes, lengths
from workbench.verify.checks.training import training
from workbench.verify.exchanges import turned
from workbench.verify.locating.locate import traces
from workbench.verify.locating.matching import Key, divergence_of, keys_of, known_steps
from workbench.verify.locating.uses import line_of_use
from workbench.verify.paired import paired
from workbench.verify.pairing.bound import Pair
from workbench.verify.pairing.candidates import (
    held_once,
    tensors_of,
)
from workbench.verify.pairing.maps import quoted, read_map
from workbench.verify.recorded_weights import record
from workbench.verify.result import Check, Outcome, Verification, Where
from workbench.verify.sides.attributes import line_of_attribute
from workbench.verify.sides.loading import load
from workbench.verify.sides.places import Births, Place, package_of
from workbench.verify.sides.shelf import OnDemand, give_back_memory
from workbench.verify.sides.sides import IMAGES, Sides
from workbench.verify.sides.task import Asked, Task, task_of
from workbench.verify.sides.values import tensors_in

Report = Callable[[str], None]
# Larger values mean an overflow; infinities count too, and the checks judge NaN.
_HUGE = 1e100
# Relative to the largest element; a cast to single precision explains smaller differences.
_ROUNDED = 1e-6
_OTHER_WEIGHTS = "forward and gradients with other weights"
_INSTANCES = 4  # further ones, whose buffers show which of them are drawn


def verify_files(
    original: str, port: str, asked: Asked, target: str = DEFAULT, report: Report = print
) -> Verification:
    """Verify a port against its original, both named as `FILE:NAME`.

    Raises:
        TorchferryError: a file does not run, or a model cannot be called with the inputs.
    """
    ports, births = load_ports(target), Births()
    report(f"running {original}")
    torch.manual_seed(0)
    ours = load(original, torch.nn.Module, births, torch.optim.Optimizer)
    model = ours.make()
    report(f"running {port}")
    theirs = load(port, ports.module_kind, births, ports.optimizer_kind, ports.needs)
    twin = theirs.make()
    sides = Sides(model, twin, task_of(asked, ours, theirs, model), ports)
    sides.port_file = theirs.file.resolve()
    if not sides.large:
        sides.constants, sides.random_buffers = _constants(model, ours.make)
    with births.noting(torch.optim.Optimizer, ports.optimizer_kind, *ports.schedule_kinds):
        return verify(sides, births, asked.maps, report)


def verify_live(ours: torch.nn.Module, theirs: Any, inputs: tuple[Any, ...]) -> Verification:
    """Verify a live port against a live model; the port gets the model's weights.

    Raises:
        TorchferryError: one of them is not a module, or does not run.
    """
    ports = load_ports(of_kind(type(theirs)))
    for side, model, kind in (
        ("the model", ours, torch.nn.Module),
        ("the port", theirs, ports.module_kind),
    ):
        if not isinstance(model, kind):
            wanted = f"{kind.__module__.partition('.')[0]}'s {kind.__name__}"
            raise TorchferryError(f"{side} is a {type(model).__name__}, and must be {wanted}")
    sides = Sides(ours, theirs, Task(inputs), ports)
    return verify(sides, Births(), (), lambda what: None)


def verify(sides: Sides, births: Births, maps: tuple[str, ...], report: Report) -> Verification:
    """Verify live models.

    Raises:
        TorchferryError: the port keeps its weights in an unknown layout.
    """
    found = Verification()
    if sides.large:
        give_back_memory()
    if sides.has_weights:
        report("pairing their tensors")
        drawn = _drawn(sides)
        pairing = paired(sides, tuple(read_map(text) for text in maps))
        if unknown := kept_unknown(sides, pairing):
            raise TorchferryError(unknown)
        found.pairs = [str(pair) for pair in pairing.pairs]
        found.doubts = [str(pair) for pair in pairing.pairs if pair.how == "parts"]
        found.instead = [str(pair) for pair in pairing.instead]
        if pairing.instead:
            found.checks.append(assumed(pairing))
        found.checks.append(construction(sides, pairing, births))
        found.checks.append(_fresh(sides, births, *drawn))
        found.weights = record(sides.ours, sides.theirs, pairing.pairs, sides.ports)
        sides.carry()
    _run_checks(sides, births, found, report)
    if sides.has_weights and found.certified:
        report(_OTHER_WEIGHTS)
        run = partial(_of_other_weights, sides, births, precise=found.precise)
        found.checks.append(_attempt(_OTHER_WEIGHTS, run, sides.port_file))
    return found


def _run_checks(sides: Sides, births: Births, found: Verification, report: Report) -> None:
    """Run all checks that start both sides from the same weights."""
    found.checks.append(
        _attempt("forward in evaluation", lambda: _single(sides, births), sides.port_file)
    )
    found.checks[-1].summary += _hint(sides, found.checks[-1])
    if found.checks[-1].outcome is Outcome.SKIPPED:
        raise TorchferryError(found.checks[-1].summary)
    if found.checks[-1].outcome is Outcome.DIFFERS:
        return
    found.precise = not sides.large and _runs_precisely(sides)
    if found.precise:
        with sides.precise():
            found.checks += _all(sides, births, report)
    else:
        found.checks += _confirmed(sides, births, _all(sides, births, report), report)


def _confirmed(sides: Sides, births: Births, checks: list[Check], report: Report) -> list[Check]:
    """Repeat the differing checks of a large model in double precision.

    If they agree there, the difference is rounding that grows from layer to layer.
    """
    names = {
        check.name
        for check in checks
        if check.differing and all(one.difference is not None for one in check.differing)
    }
    if not names or not _runs_precisely(sides):
        return checks
    report("differing checks again, in double precision")
    with sides.precise():
        again = {check.name: check for check in _all(sides, births, lambda what: None, names)}
    for check in again.values():
        check.summary = f"{check.summary}{'; ' if check.summary else ''}in double precision"
    return [again.get(check.name, check) for check in checks]


def _runs_precisely(sides: Sides) -> bool:
    """Return whether the port runs in double precision.

    A port that names float32 somewhere does not, and one that fills a mask with the dtype's
    smallest number overflows.
    """
    try:
        with sides.precise():
            modes = (forward_figures(sides, training=mode) for mode in (False, True))
            if any(figure.reason.startswith("dtype") for figures in modes for figure in figures):
                return False
            found = sides.port_pass(None, training=True, backward=True)
            gradients = [bound.read_gradient() for bound in sides.bound()]
            if sides.has_weights:
                sides.ports.clear_gradients(sides.theirs)
            sides.carry()
    except TorchferryError:
        raise
    except Exception:
        return False
    values = (*found.outputs.values(), *found.inputs.values(), *gradients)
    floats = (v for v in values if v is not None and v.is_floating_point())
    return not any(bool((value.abs() > _HUGE).any()) for value in floats)


def _all(
    sides: Sides, births: Births, report: Report, only: Collection[str] | None = None
) -> list[Check]:
    """Run every check, or those named in `only`, in the current precision."""
    found = []
    steps: list[tuple[str, Callable[[], Check]]] = [
        ("forward in evaluation", lambda: forward(sides, births, training=False)),
        ("forward in training", lambda: forward(sides, births, training=True)),
        ("other batch sizes", lambda: batch_sizes(sides, births)),
        ("other lengths", lambda: lengths(sides, births)),
        ("gradients", lambda: gradients(sides, births)),
    ]
    if sides.task.optimizers is not None and sides.task.losses is not None:
        steps.append(("training", lambda: training(sides, births)))
    if sides.has_weights:
        steps.append(("saved state loaded again", lambda: state(sides)))
    for name, run in steps:
        if only is not None and name not in only:
            continue
        report(name)
        found.append(_attempt(name, run, sides.port_file))
    return found


def _fresh(sides: Sides, births: Births, ours: Samples, theirs: Samples) -> Check:
    """Compare what both sides held when they were created, with the lines of tables that differ."""
    owners = {n: sides.ours.get_submodule(n.rpartition(".")[0]) for n in tensors_of(sides.ours)}
    saved = sides.ours.state_dict().keys()
    tables = {
        name: name not in sides.random_buffers
        and (name not in saved or not buffer.is_floating_point() or name in sides.constants)
        for name, buffer in sides.ours.named_buffers()
        if name in owners and package_of(owners[name]) != "torch"
    }

    def line_of(pair: Pair) -> str:
        made = births.of(sides.ports.owner(sides.theirs, pair.theirs[0]))
        return "" if made is None else f"{Path(made.file).name}:{made.line}"

    check = fresh_weights(sides.pairs, ours, theirs, tables, line_of)
    for figure in check.figures:
        pair = next(pair for pair in sides.pairs if pair.name == figure.name)
        line = _line_of_table(sides.ports.owner(sides.theirs, pair.theirs[0]), pair.theirs, births)
        origin = _line_of_table(owners[pair.ours[0]], pair.ours, births)
        check.places.append(Where(str(line or ""), str(origin or ""), figure.reason))
    return check


def _constants(model: Any, make: Callable[[], Any]) -> tuple[set[str], set[str]]:
    """Return the names of a model's constant buffers, and those of its random ones.

    If some buffers are random, others may be computed from them, such as their signs, and be equal
    in two instances by chance: more instances are made.
    """
    torch.manual_seed(1)
    again = make()
    constants = _equal_buffers(model, again)
    random = _buffers(again, model) - constants
    for seed in range(2, 2 + _INSTANCES if random and constants else 2):
        torch.manual_seed(seed)
        constants &= _equal_buffers(model, make())
    return constants, _buffers(again, model) - constants


def _equal_buffers(model: Any, again: Any) -> set[str]:
    """Return the names of buffers that are equal in two instances: they are not random."""
    if not isinstance(model, torch.nn.Module) or again is model:
        return set()
    other = dict(again.named_buffers())
    return {n for n, b in model.named_buffers() if n in other and torch.equal(b, other[n])}


def _buffers(model: Any, other: Any) -> set[str]:
    """Return the names of a model's buffers; none if it is the other model itself."""
    known = isinstance(model, torch.nn.Module) and model is not other
    return {name for name, _ in model.named_buffers()} if known else set()


def _line_of_table(owner: Any, names: tuple[str, ...], births: Births) -> Place | None:
    """Return the line where a class sets a table, or where the instance was created."""
    return line_of_attribute(owner, names[0].rpartition(".")[2]) or births.of(owner)


def _drawn(sides: Sides) -> tuple[Samples, Samples]:
    """Return samples of the initial values of both sides."""
    held = held_once(sides.ports.held(sides.theirs))
    theirs = samples_of(OnDemand({name: one.read for name, one in held.items()}))
    return samples_of(tensors_of(sides.ours)), theirs


def _single(sides: Sides, births: Births) -> Check:
    """Compare the forward pass in single precision, including shapes and dtypes."""
    check = forward(sides, births, training=False)
    large = sides.large and check.places
    if check.outcome is Outcome.DIFFERS and not large and _runs_precisely(sides):
        with sides.unlike(sides.alike(), none_small=True):
            sides.carry()
            off = _off(sides)
            with sides.precise():  # rounding does not hide a small difference there
                if not check.places or _parts_by_more_than_rounding(sides, off):
                    check.places = forward(sides, births, training=False).places or check.places
        sides.carry()
    if check.outcome is Outcome.DIFFERS and not sides.large:
        check.places = [*_turned(sides), *check.places]
    check.name += ", single precision"
    return check


def _turned(sides: Sides) -> list[Where]:
    """Return the tensors for which both sides agree once they are transposed."""
    pairs, found = sides.pairs, []
    for bound in sides.bound():
        if (other := turned(bound, sides)) is None:
            continue
        sides.pairs = [other if pair is bound.pair else pair for pair in pairs]
        sides.carry()
        if all(figure.same for figure in forward_figures(sides, training=False)):
            cause = (
                f"{other.theirs[0]} is used transposed; if the port keeps it so, add --map"
                f" {quoted(other)}"
            )
            found.append(Where(line_of_use(sides, bound), cause=cause, tested=True))
    sides.pairs = pairs
    sides.carry()
    return found


def _of_other_weights(sides: Sides, births: Births, *, precise: bool) -> Check:
    """Repeat the passes with no norm at ones, no bias at zeros and no small matrix.

    Fresh weights hide a missing norm, and everything that a branch initialized with zeros computes.
    """
    with sides.unlike(sides.alike(), none_small=True):
        sides.carry()
        if precise:
            with sides.precise():
                for check in _passes(sides, births):
                    if check.outcome is Outcome.DIFFERS:
                        break
        else:
            check = _single(sides, births)
    sides.carry()
    check.name = _OTHER_WEIGHTS
    return check


def _passes(sides: Sides, births: Births) -> Iterator[Check]:
    yield forward(sides, births, training=False)
    yield forward(sides, births, training=True)
    yield gradients(sides, births)


def _off(sides: Sides) -> set[Key]:
    """Return which of the port's operations have results that the original lacks.

    A table of the port may be in single precision; it then differs in double precision, but is
    right.
    """
    try:
        ours, theirs = traces(sides, training=False)
        return set(keys_of(theirs)) - known_steps(ours, theirs)
    except Exception:  # the check itself reports it
        return set()
    finally:
        sides.carry()


def _parts_by_more_than_rounding(sides: Sides, off: set[Key]) -> bool:
    """Return whether the first divergence in double precision exceeds a cast to single precision.

    It does if single precision shows it too, or if the difference is larger than that rounding.
    """
    ours, theirs = traces(sides, training=False)
    sides.carry()
    divergence = divergence_of(ours, theirs)
    both = zip(keys_of(theirs), theirs.steps, strict=True)
    if any(key in off for key, step in both if step is divergence.theirs):
        return True
    if divergence.ours is None or divergence.theirs is None:
        return False
    wanted = ours.values[divergence.ours.outputs[0]].flatten().double()
    # torch may have one operation for a layer that takes several in the port.
    same = [step for step in theirs.steps if step.frames[:1] == divergence.theirs.frames[:1]]
    given = [theirs.values[step.outputs[0]].flatten().double() for step in same]
    apart = [float((one - wanted).abs().max()) for one in given if one.shape == wanted.shape]
    return min(apart, default=math.inf) > _ROUNDED * float(wanted.abs().max())


def _hint(sides: Sides, check: Check) -> str:
    """Return advice for a port that fails on images, or ""."""
    args, kwargs, _ = sides.inputs()
    images = [t for _, t in tensors_in((args, kwargs), torch.is_tensor) if t.dim() in IMAGES]
    if check.figures or sides.task.channels_last or not images:
        return ""
    return "; if it takes images with channels last, add --channels-last"


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
            what = f"{type(error).__name__}, and the original runs"
            return Check(name, Outcome.DIFFERS, summary, places=[Where(str(line), "", what)])
        return Check(name, Outcome.SKIPPED, summary)


def _lines(error: Exception, port: Path) -> Iterator[Place]:
    """Yield the port's lines in an error's traceback, the innermost first."""
    for frame in reversed(extract_tb(error.__traceback__)):
        if Path(frame.filename).resolve() == port:
            yield Place(frame.filename, frame.lineno or 0)
