"""Creation of a comparison from two finished runs: rows for names, output, errors and losses."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import torch

from workbench.compare.carry.fingerprint import fingerprint
from workbench.compare.carry.pairing import all_numbers
from workbench.compare.cells.reach import uses_torch
from workbench.compare.cells.shared import Shared
from workbench.compare.cells.steps import bound_names
from workbench.compare.cells.volatile_values import keeps_reading, readings, reads_clock
from workbench.compare.guard import Guard
from workbench.compare.judging.drift import Drift
from workbench.compare.judging.tensors import DRIFTS, short, tensor_row
from workbench.compare.judging.tolerance import Tolerance
from workbench.compare.judging.values import WITH_FACTOR, Judge, is_definition
from workbench.compare.result import EXCEPTION, Comparison, Curve, Origin, Row, RunError
from workbench.streams import printed_text

if TYPE_CHECKING:
    from workbench.compare.cells.steps import Step
    from workbench.compare.judging.torch_side import Heard
# Printed by IPython to clear a line where it cannot clear the output.
_CLEARED = "\033[2K\r"


@dataclass(slots=True)
class Gathering:
    """Data collected while a cell runs, such as the names it bound."""

    comparison: Comparison
    shared: Shared
    tolerance: Tolerance
    bound: set[str] = field(default_factory=set)
    random: set[str] = field(default_factory=set)
    result: tuple[Any, Any] | None = None
    # Names with different values because of unpaired draws.
    apart: set[str] = field(default_factory=set)
    agreeing: set[str] = field(default_factory=set)  # those that only rounding moved
    stopped: bool = False  # the target's side, before the cell's end
    alone: set[str] = field(default_factory=set)  # names that only torch bound
    torch_alone: bool = False  # the last statement that ran has no counterpart
    # Output of statements that only torch ran.
    uncompared: list[str] = field(default_factory=list)


def gather(
    gathering: Gathering,
    steps: Sequence[Step],
    before: Mapping[str, object],
    used: Collection[str],
    heard: Heard,
    target_heard: Heard,
    drift: Drift | None = None,
    *,
    guard: Guard,
) -> None:
    """Fill the comparison's rows and curves.

    `before` has the fingerprints of names before the cell; names that the cell uses are compared
    even if unchanged.
    """
    comparison, shared = gathering.comparison, gathering.shared
    ours, theirs = shared.namespace, shared.mirror.names
    tolerance = gathering.tolerance.grown(_updates(gathering, before))
    failed = comparison.target.error is not None
    losses = _losses(comparison, heard, target_heard, gathering.tolerance, drift or Drift())
    if failed or any(row.same is False for row in losses):
        drift = None  # losses that drift does not explain come from different values
    judge = Judge(
        shared.bridge, shared.mirror.twins, tolerance, shared.mirror.log, shared.updates, drift
    )
    names = [name for name in _in_order(steps, gathering.bound) if name in ours]
    reached = shared.mirror.closure(used)
    read = _read(gathering, steps)
    for name in names:
        if name in shared.readings:
            continue
        if is_definition(ours[name]) and name not in theirs:
            continue  # an import that the converted code does not need
        comparison.torch.values[name] = ours[name]
        if heard.holds_nothing(ours[name]):
            comparison.notes.append(
                f"{name} is an empty tensor without values: it was not compared"
            )
            gathering.apart.add(name)
            continue
        if name not in theirs:
            comparison.rows.append(_missing(gathering, steps, name))
            continue
        comparison.target.values[name] = theirs[name]
        comparison.rows += _rows(judge, guard, name, ours[name], theirs[name])
    for name in sorted(set(before) - set(names)):
        if name in ours and name in theirs and not failed:
            changed = fingerprint(ours[name]) != before[name]
            if not changed and name not in used:
                continue
            if name not in used and not uses_torch([name], ours):
                gathering.apart.add(name)  # by another thread, or through another name
                continue
            rows = _rows(judge, guard, name, ours[name], theirs[name])
            different = [row for row in rows if row.same is not True and name in used]
            rows = [row for row in rows if row.origin is Origin.COMPUTED]
            comparison.rows += rows if changed else different
    _drop_readings(comparison, ours)
    if gathering.result and gathering.result[0] is not None:
        comparison.rows += _rows(judge, guard, "Out", *gathering.result)
    if not failed:
        comparison.rows += losses
        _gradients(comparison, heard, target_heard, gathering.tolerance)
        _named_curves(comparison)
        timed = bool(read) or reads_clock(reached, ours)
        _output(gathering, heard, drift or Drift(), timed=timed)
    _errors(comparison, torch_alone=gathering.torch_alone)
    _mark_unjudged(gathering)
    # Different values are transferred again: the next cell starts with equal ones.
    # So are those that agree only by what training accumulates, which no later drift explains.
    unlike = {root(row) for row in comparison.rows if row.same is False}
    moved = {
        root(row)
        for row in comparison.rows
        if row.name in judge.by_chance or _has_accumulated(row, gathering.tolerance)
    }
    gathering.apart |= unlike | moved
    gathering.agreeing = moved - unlike
    comparison.notes += dict.fromkeys(judge.notes)
    for name, (one, other) in judge.tensors.items():
        comparison.torch.tensors[name], comparison.target.tensors[name] = one, other
    _evaluated(comparison)
    comparison.carried = list(dict.fromkeys(comparison.carried))


def _has_accumulated(row: Row, tolerance: Tolerance) -> bool:
    """Return whether a value that counts as the same differs by more than rounding."""
    if not row.same or row.dtype is None or row.name.endswith(".grad"):
        return False
    if not row.max_abs or not row.max_rel:
        return False
    limit = tolerance.limit("float32" if row.dtype == "float" else row.dtype)
    return row.max_abs > limit.at(row.max_abs / row.max_rel)


def _missing(gathering: Gathering, steps: Sequence[Step], name: str) -> Row:
    """Return the row of a name that the target lacks: different if its code defines the name."""
    target = gathering.comparison.target_name
    if gathering.comparison.target.error or gathering.stopped:
        return Row(name, same=None, reason=f"not checked: {target} stopped before it")
    if not any(name in bound_names(step.target) for step in steps):
        return Row(name, same=None, reason="not checked: the converted code has no such name")
    for item in gathering.comparison.carried:
        if item.failed and item.name == name:  # after a statement that ran only in torch
            return Row(name, same=None, reason=f"not checked: it was not copied: {item.reason}")
    return Row(name, same=False, reason=f"{target} leaves it undefined")


def _rows(judge: Judge, guard: Guard, name: str, ours: Any, theirs: Any) -> list[Row]:
    before = fingerprint(ours)
    rows: list[Row] = []
    with guard.over(name):
        rows = judge.rows(name, ours, theirs)
    if any(row.same is False for row in rows) and fingerprint(ours) != before:
        return [Row(name, same=None, reason="not checked: something changes it at the same time")]
    return rows


def _evaluated(comparison: Comparison) -> None:
    """Add a note if running variances were kept as torch keeps them."""
    kept = [row.name for row in comparison.rows if row.reason == WITH_FACTOR]
    if kept:
        comparison.notes.append(
            f"{kept[0]} was computed as in torch. {comparison.target_name} itself leaves out the"
            " factor m/(m-1) for a batch of m values, so that its results in evaluation differ"
            " slightly"
        )


def _read(gathering: Gathering, steps: Sequence[Step]) -> set[str]:
    """Return the names that hold clock readings or addresses, also from earlier cells."""
    shared = gathering.shared
    statements = [statement for step in steps for statement in step.torch]
    bound = gathering.bound | gathering.alone
    read = readings(statements, shared.namespace, shared.readings) & bound
    shared.readings -= bound - read
    shared.readings |= read
    for name in sorted(read):
        note = f"{name} comes from a clock or is an address: it was not compared"
        gathering.comparison.notes.append(note)
    return read


def _drop_readings(comparison: Comparison, namespace: Mapping[str, Any]) -> None:
    """Remove the rows of attributes in which the user's objects store clock readings."""
    kept = [row.name for row in comparison.rows if keeps_reading(row.name, namespace)]
    for name in dict.fromkeys(name.partition("[")[0] for name in kept):
        comparison.notes.append(f"{name} comes from a clock or is an address: it was not compared")
    comparison.rows[:] = [row for row in comparison.rows if row.name not in kept]


def root(row: Row) -> str:
    """Return the name in the namespace that a row is about."""
    return row.name.partition(".")[0].partition("[")[0]


def _updates(gathering: Gathering, before: Mapping[str, object]) -> int:
    """Return the largest number of optimizer steps of any parameter that the cell can reach."""
    most = 0
    names = gathering.bound | set(before)
    for name in names:
        value = gathering.shared.namespace.get(name)
        if isinstance(value, torch.nn.Module):
            steps = (gathering.shared.updates.of(p) for p in value.parameters())
            most = max(most, *steps, 0)
        elif isinstance(value, torch.Tensor):
            most = max(most, gathering.shared.updates.of(value))
    return most


def _in_order(steps: Sequence[Step], names: set[str]) -> list[str]:
    ordered: dict[str, None] = {}
    for step in steps:
        for name in sorted(step.binds & names):
            ordered[name] = None
    return [*ordered, *sorted(names - ordered.keys())]


def _losses(
    comparison: Comparison,
    heard: Heard,
    target_heard: Heard,
    tolerance: Tolerance,
    drift: Drift,
) -> list[Row]:
    """Return one row, and add one curve, per line that called backward more than once."""
    rows: list[Row] = []
    if comparison.target.error is not None:
        return rows
    for line, values in heard.losses.items():
        others = _counterparts(heard, target_heard, line)
        if len(values) < 2:
            continue
        name = f"loss, line {comparison.first_line + line}" if line >= 0 else "loss"
        if len(values) != len(others):
            reason = f"{len(values)} backward passes in torch, {len(others)} in the target"
            rows.append(Row(name, same=False, reason=reason))
            continue
        a, b = torch.stack(values).cpu(), torch.stack(others).cpu()
        # Each backward pass before a loss stands for one update.
        own = drift.of_losses(line)
        grown = tolerance.grown(len(values))
        rows.append(tensor_row(name, a, b, grown, drift=0.0 if own is None else own))
        moved = () if own is None else tuple(own.tolist())
        if own is not None:
            comparison.notes += _divergence_note(name, a, b, own, tolerance)
        series = tuple(a.tolist()), tuple(b.tolist())
        comparison.curves.append(Curve(name, *series, moved, _first_apart(a, b, grown)))
    return rows


def _counterparts(heard: Heard, target_heard: Heard, line: int) -> list[torch.Tensor]:
    """Return the target's losses for a line of the cell.

    A loss that is differentiated as a function may be at another line: then the order counts.
    """
    if line in target_heard.losses or len(heard.losses) != len(target_heard.losses):
        return target_heard.losses.get(line, [])
    return list(target_heard.losses.values())[list(heard.losses).index(line)]


def _gradients(
    comparison: Comparison, heard: Heard, target_heard: Heard, tolerance: Tolerance
) -> None:
    """Add one curve of gradient norms per line that made more than one optimizer step."""
    for line, values in heard.gradients.items():
        others = target_heard.gradients.get(line, [])
        if len(values) < 2 or len(values) != len(others):
            continue
        place = f", line {comparison.first_line + line}" if line >= 0 else ""
        a, b = (torch.stack(each).float().cpu() for each in (values, others))
        parts = _first_apart(a, b, tolerance.grown(len(values)))
        series = tuple(a.tolist()), tuple(b.tolist())
        comparison.curves.append(Curve(f"norm of the gradients{place}", *series, parts=parts))


def _divergence_note(
    name: str, ours: torch.Tensor, theirs: torch.Tensor, own: torch.Tensor, tolerance: Tolerance
) -> list[str]:
    """Return a note on the step where the sides' losses diverge, and where torch's own do."""
    first = _first_apart(ours, theirs, tolerance)
    if first is None:
        return []
    limit = _limit(ours, tolerance)
    drifts = (own > limit).nonzero()
    itself = f"from step {int(drifts[0]) + 1} on" if len(drifts) else "nowhere"
    return [
        f"{name}: the sides differ from step {first} of {len(ours)} on; torch, perturbed by"
        f" rounding, differs {itself}"
    ]


def _first_apart(ours: torch.Tensor, theirs: torch.Tensor, tolerance: Tolerance) -> int | None:
    """Return the 1-based index of the first pair that differs by more than rounding, or None."""
    apart = ((ours - theirs).abs() > _limit(ours, tolerance)).nonzero()
    return int(apart[0]) + 1 if len(apart) else None


def _limit(ours: torch.Tensor, tolerance: Tolerance) -> float:
    return tolerance.limit(short(ours.dtype)).at(float(ours.abs().max()))


def _named_curves(comparison: Comparison) -> None:
    for name, value in comparison.torch.values.items():
        other = comparison.target.values.get(name)
        if not (isinstance(value, list) and isinstance(other, list) and len(value) > 2):
            continue
        if all_numbers(value) and all_numbers(other) and not _drawn(comparison, value):
            comparison.curves.append(Curve(name, tuple(value), tuple(other)))


def _drawn(comparison: Comparison, values: Sequence[float]) -> bool:
    """Return whether a curve shows these numbers already, such as losses that are also stored."""
    return any(
        len(curve.torch) == len(values)
        and all(abs(a - b) <= 1e-6 * abs(a) for a, b in zip(curve.torch, values, strict=True))
        for curve in comparison.curves
    )


def _output(gathering: Gathering, heard: Heard, drift: Drift, *, timed: bool) -> None:
    comparison, shared = gathering.comparison, gathering.shared
    ours = comparison.torch.output
    for module in sorted(heard.described, key=len, reverse=True):
        if module in ours:
            ours = ours.replace(module, printed_text.described(module))
            note = "the frameworks describe modules in different words: these were not compared"
            comparison.notes.append(note)
    for text in gathering.uncompared:
        ours = ours.replace(text, "", 1)
    theirs = shared.bridge.plain_text(comparison.target.output)
    ours, theirs = ours.replace(_CLEARED, ""), theirs.replace(_CLEARED, "")
    if ours.strip() or theirs.strip():
        apart = max(
            (printed_text.largest_difference(ours, text) for text in drift.outputs), default=0.0
        )
        relative = max(printed_text.RELATIVE, DRIFTS * apart)
        gap = printed_text.difference(ours, theirs, relative, timed=timed)
        comparison.rows.append(Row("printed output", None, "text", same=not gap, reason=gap))


def _errors(comparison: Comparison, *, torch_alone: bool) -> None:
    ours, theirs = comparison.torch.error, comparison.target.error
    if ours is None and theirs is None:
        return
    alike = bool(ours and theirs and ours.line == theirs.line)
    if ours and ours.kind == "NameError" and not alike:
        # The conversion relies on what earlier cells define, and they may not have run.
        reason = f"not checked: torch raises{_place(ours, comparison)}: {ours}"
        row = Row(EXCEPTION, None, ours.kind, same=None, reason=reason)
    elif ours and theirs:
        reason = f"both raise: {theirs.kind}"
        if not alike:
            lines = [_place(error, comparison) for error in (ours, theirs)]
            reason = f"torch raises{lines[0]}, {comparison.target_name}{lines[1]}: {theirs}"
        row = Row(EXCEPTION, None, ours.kind, same=alike, reason=reason)
    elif ours and torch_alone:
        reason = f"not checked: raised{_place(ours, comparison)}, in torch alone: {ours}"
        row = Row(EXCEPTION, None, ours.kind, same=None, reason=reason)
    else:
        error, side = (ours, "torch") if ours else (theirs, comparison.target_name)
        reason = f"only {side} raises{_place(error, comparison)}: {error}"
        row = Row(EXCEPTION, None, same=False, reason=reason)
    comparison.rows.insert(0, row)


def _place(error: RunError | None, comparison: Comparison) -> str:
    if error is None or error.line is None:
        return ""
    return f" at line {comparison.first_line + error.line}"


def _mark_unjudged(gathering: Gathering) -> None:
    """Mark rows as not judged if unpaired random draws affect them."""

    def judged(row: Row) -> Row:
        name = root(row)
        unnamed = name == "Out" or row.name.startswith("loss")
        drawn = name in gathering.random or (gathering.random and unnamed)
        if row.same is False and drawn and row.max_abs is not None:
            gathering.apart.add(name)
            return replace(row, same=None, reason="random numbers that could not be paired")
        return row

    if gathering.random:
        gathering.comparison.rows[:] = [judged(row) for row in gathering.comparison.rows]
