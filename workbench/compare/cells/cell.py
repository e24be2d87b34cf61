"""Execution of one cell on both sides, step by step.

Before a step, the values that the converted statement needs are transferred. torch runs its
statement and its random draws are recorded; the target runs its own with the same draws; then
weights that torch drew at random are copied to their twins. Only those are copied: everything else
in the target was computed by the converted code, so that its agreement is evidence.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, nullcontext
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from workbench.compare.carry.carrier import BUFFERS
from workbench.compare.carry.fingerprint import fingerprint
from workbench.compare.cells import steps as cut
from workbench.compare.cells.alone import cell_numbers, synchronise
from workbench.compare.cells.divergences import Divergences
from workbench.compare.cells.drift import (
    FinishedRun,
    disturbed_training,
    may_repeat_by_operation,
    measure,
    why_not_repeatable,
)
from workbench.compare.cells.fresh_weights import carry_snapshot, settle
from workbench.compare.cells.gather import Gathering, gather, root
from workbench.compare.cells.mirror import keep_source
from workbench.compare.cells.options import Options
from workbench.compare.cells.reach import acts, called, reach, uses_torch
from workbench.compare.cells.rounding import rounded
from workbench.compare.cells.run import MemoryWatch, execute
from workbench.compare.cells.shared import Shared
from workbench.compare.cells.snapshot import Snapshot
from workbench.compare.cells.statements import (
    other_streams,
    run_statements,
    seed_all,
    set_other_streams,
)
from workbench.compare.cells.thread_order import take_order
from workbench.compare.guard import Guard
from workbench.compare.judging.torch_side import Heard, note_gradients, note_loss, watching
from workbench.compare.judging.values import is_definition
from workbench.compare.result import Comparison, Row, Run
from workbench.streams.draws import Stream
from workbench.streams.factors import Chosen
from workbench.streams.torch_recorder import Recorder, unpatched
from workbench.targets.bridge import CarryError, Hooks

if TYPE_CHECKING:
    import workbench
    from workbench.compare.judging.drift import Drift

_WITHOUT_TORCH = "nothing in this cell uses torch"
# Of cells that may depend on each rounding: they train, or check gradients.
_UNSTEADY = frozenset({"step", "grad", "backward"})


class Cell:
    """The steps of a cell, run in turns; `run` returns the comparison."""

    def __init__(
        self,
        shared: Shared,
        source: str,
        conversion: workbench.Conversion,
        filename: str | None,
        options: Options,
        begin: Snapshot | None = None,
    ) -> None:
        number = next(cell_numbers)
        self.source = source
        shared.mirror.log.clear()
        self.shared = shared
        self.mirror = shared.mirror
        self.bridge = shared.bridge
        self.conversion = conversion
        self.options = options
        executed = options.executed or source
        self.steps = cut.pair(executed, conversion.code, conversion.line_map)
        for statement in (each for step in self.steps for each in step.torch):
            ast.increment_lineno(statement, options.first_line - 1)
        self.torch_file = filename or f"<cell {number}>"
        self.target_file = f"<converted cell {number}>"
        if filename is None:
            keep_source(self.torch_file, "\n" * (options.first_line - 1) + source)
        keep_source(self.target_file, conversion.code)
        self.used = cut.free_names(ast.parse(executed).body)
        self.guard = Guard()
        self.begin = begin or self._start()
        self.printing = sys.stdout
        self.before = {
            name: fingerprint(shared.namespace[name])
            for name in self.used | self.mirror.in_step()
            if name in shared.namespace
        }
        target_device = options.target_device or options.device
        self.mirror.follow_deletions()
        runs = Run("torch", options.device), Run(self.bridge.name, target_device)
        self.comparison = Comparison.begun(source, conversion, *runs, options.first_line)
        self.gathering = Gathering(self.comparison, shared, options.tolerance)
        self.divergences = Divergences(self.bridge, options.tolerance)
        self.heard = Heard()
        self.target_heard = Heard()
        self.fresh = shared.fresh
        self.fresh.clear()
        self.alone: list[cut.Step] = []
        self._unloaded = ""  # why a file of torch's was not loaded
        self._printed = 0
        self._show = True
        self._memory = MemoryWatch()
        self._steps_before = shared.updates.steps
        self.touched: set[str] = set()  # names that this cell transferred or computed
        self.in_step = self.mirror.in_step()
        self.target_done = False  # the target stopped early, or never began

    def _start(self) -> Snapshot | None:
        """Return the start of both sides if torch's may run again, repeated or for its drift."""
        names = self.shared.namespace
        if self.options.repeats < 2 and _UNSTEADY.isdisjoint(called(self.source, names)):
            return None
        return Snapshot(names, reach(self.used, names))

    def run(self, *, show: bool = True) -> Comparison:
        """Run both sides and compare them; `show` displays torch's output."""
        self._show = show
        if self.options.seed is not None:
            seed_all(self.options.seed, self.bridge)
        with (
            torch.device(self.options.device) if self.options.device != "cpu" else nullcontext(),
            self.bridge.on_device(self.comparison.target.device),
            self.shared.updates.counting(),
            self._memory,
        ):
            for number, step in enumerate(self.steps):
                self.options.progress(number, len(self.steps))
                self._step(step, last=number == len(self.steps) - 1)
                if self.comparison.torch.error:
                    break
                if self.comparison.target.error and not self.target_done:
                    self._stop_target(step)
            self.options.progress(len(self.steps), len(self.steps))
            with self.guard.over("values"):
                self._conclude()
        self.comparison.rows += [
            Row(about, same=None, reason=f"not checked: {why}")
            for about, why in self.guard.problems.items()
        ]
        return self.comparison

    def _conclude(self) -> None:
        """Compare the final values of both sides, and prepare the mirror for the next cell."""
        if not self.comparison.target.error:
            # In-place changes happened on both sides, through whatever name.
            names = self.touched | self.in_step
            self.mirror.sync(names)
        before = list(self.comparison.rows), list(self.comparison.notes)
        self._gather()
        drift, runs_again = None, True
        if self._is_drift_asked_for():
            drift = self._measured(disturbed_training, before)
            runs_again = drift is not None
            if not runs_again:
                self._without_drift("the cell does not run a second time")
        if runs_again and self._differs() and may_repeat_by_operation(self._torch_run):
            self._measured(rounded, before, drift)
        if self.steps and all(step in self.alone for step in self.steps):
            torchs = uses_torch(self.used, self.shared.namespace)
            why = "it draws or starts what may be there once" if torchs else _WITHOUT_TORCH
            self.comparison.notes.append(f"{why}: it ran once")
        # After separate random draws the values differ; the next cell starts with torch's.
        self.mirror.unsync(self.gathering.apart, agreeing=self.gathering.agreeing)
        if any(row.same is False or row.drift is not None for row in self.comparison.rows):
            self.shared.files.clear()  # they hold these values as the target computed them

    def _measured(
        self,
        disturbed: Callable[[int], AbstractContextManager[None]],
        before: tuple[list[Row], list[str]],
        known: Drift | None = None,
    ) -> Drift | None:
        """Measure torch's own drift, and compare again with it."""
        compared = {root(row) for row in self.comparison.rows} & self.before.keys()
        names = self.gathering.bound | self.used | compared
        drift = measure(self._torch_run, names, disturbed=disturbed, known=known)
        self.comparison.curves.clear()
        self.comparison.rows[:], self.comparison.notes[:] = before
        self._gather(drift)
        return drift

    def _gather(self, drift: Drift | None = None) -> None:
        gather(
            self.gathering,
            self.steps,
            self.before,
            self.used,
            self.heard,
            self.target_heard,
            drift,
            guard=self.guard,
        )
        if any(row.same is False for row in self.comparison.rows):
            if not self.comparison.target.error:
                self._note_divergences(self.steps[-1])
            rows = self.divergences.with_lines(
                self.comparison.rows, self.steps, self.options.first_line
            )
            self.comparison.rows[:] = rows

    def _is_drift_asked_for(self) -> bool:
        """Return whether a cell that trains differs, and torch's side can run again."""
        if self.shared.updates.steps == self._steps_before or not self._differs():
            return False
        problem = why_not_repeatable(self._torch_run)
        if problem:
            self._without_drift(problem)
        return not problem

    def _differs(self) -> bool:
        """Return whether both sides ran to the end, and some numbers differ."""
        comparison = self.comparison
        if comparison.torch.error or comparison.target.error:
            return False
        return any(row.same is False and row.max_abs for row in comparison.rows)

    def _without_drift(self, problem: str) -> None:
        note = f"torch's own drift was not measured: {problem}"
        self.comparison.notes.append(note)

    @property
    def _torch_run(self) -> FinishedRun:
        return FinishedRun(
            self.shared,
            self.source,
            self.begin,
            self.comparison.torch.seconds,
            self.heard,
            self.torch_file,
            self.line_of,
            self._run_torch_again,
            self.comparison.torch.result,
        )

    def _run_torch_again(self) -> Any:
        """Run only torch's side, in the namespace as it is, and return its value."""
        if self.options.seed is not None:
            seed_all(self.options.seed, self.bridge)
        result = None
        for step in self.steps:
            result = self._execute_torch(step, step is self.steps[-1])
        return result

    def _stop_target(self, step: cut.Step) -> None:
        self.target_done = self.gathering.stopped = True
        if step is not self.steps[-1]:
            line = self.options.first_line + step.last + 1
            self.comparison.notes.append(
                f"from line {line} on only torch ran; its results are copied when they are needed"
            )

    def _step(self, step: cut.Step, *, last: bool) -> None:
        place = f"line {self.options.first_line + step.first}"
        if not self.target_done:
            with self.guard.over(place):
                self._prepare(step)
        stream = Stream(factors=Chosen())
        self._printed = len(self.comparison.torch.output)
        self._counts = self.heard.counts(), self.target_heard.counts()
        before = dict(self.shared.namespace)
        alone = self._is_alone(step)
        self.gathering.torch_alone = alone
        states = other_streams()
        seen = self._seen() if alone else {}
        self.options.entering("torch", step.first)
        value = unpatched(self._torch(step, stream, last=last))
        self._leave_originals()
        if last:
            self.comparison.torch.result = value
        after = other_streams()
        with self.guard.over(place):
            if alone:
                self._follow_alone(step, self._bound(step, before), seen)
            else:
                self._follow(step, stream, before, states, (value, last))
        if place in self.guard.problems:
            self._give_up(step, before)
        set_other_streams(after)

    def _leave_originals(self) -> None:
        """Replace patched torch functions in the user's names by the originals."""
        names = self.shared.namespace
        for name, value in list(names.items()):
            if (original := unpatched(value)) is not value:
                names[name] = original

    def _is_alone(self, step: cut.Step) -> bool:
        """Return whether only torch runs a step: code that does not use torch may have side
        effects.

        It must not run twice. Imports, definitions and literals may, as they have no side effects.
        """
        if step.calls_shell:
            return True
        if not step.is_unchanged:
            return False
        names = self.shared.namespace
        both = cut.free_names(step.torch) & names.keys() & self.mirror.names.keys()
        if any(isinstance(names[name], BUFFERS) for name in both):
            return False  # each side has its own buffer
        acting = not step.binds_alone and acts(cut.free_names(step.torch), names)
        if not acting and (step.binds_alone or uses_torch(cut.free_names(step.torch), names)):
            return False
        self.alone.append(step)
        return True

    def _seen(self) -> dict[str, object]:
        """Return the fingerprints of all names that the mirror has too."""
        names = self.shared.namespace
        return {name: fingerprint(names[name]) for name in self.mirror.names if name in names}

    def _follow_alone(self, step: cut.Step, bound: set[str], seen: dict[str, object]) -> None:
        """Drop the mirror's names that a torch-only statement changed, so that they are transferred
        again.
        """
        self.touched |= bound
        if step.calls_shell and bound:
            self._torch_only(step, bound, "a magic runs once")
            return
        now = self._seen()
        changed = bound | {name for name, state in seen.items() if now.get(name) != state}
        names = self.shared.namespace
        if not uses_torch(cut.free_names(step.torch), names):
            # Iterators and similar objects change undetected; definitions do not.
            reached = reach(step.needs, names)
            changed |= {name for name in reached if not is_definition(names[name])}
        self.mirror.drop(changed)
        self.gathering.bound -= changed
        self.gathering.alone |= bound
        self._uncompare()

    def _prepare(self, step: cut.Step) -> None:
        """Transfer the values and settings that the converted statement needs."""
        self.mirror.follow_settings(step.added, self.target_file)
        known = self.touched | self.in_step
        self.comparison.carried += self.mirror.ensure(step.needs, known)
        self.touched |= self.mirror.closure(step.needs)

    def _give_up(self, step: cut.Step, before: dict[str, Any]) -> None:
        """Leave the rest of the cell to torch, as the recorded data is not reliable."""
        self.mirror.drop(self._bound(step, before))
        if not self.target_done:
            self._stop_target(step)

    def _follow(
        self,
        step: cut.Step,
        stream: Stream,
        before: dict[str, Any],
        states: tuple[Any, Any],
        result: tuple[Any, bool],
    ) -> None:
        """Run the target's statement after torch's."""
        value, last = result
        bound = self._bound(step, before)
        self.touched |= bound
        if self.target_done:
            self.mirror.drop(bound)
            return
        set_other_streams(states)
        unconverted = self._unconverted(step)
        if unconverted and not step.defines:
            self.mirror.execute(step.added, self.target_file)  # later steps call these helpers
            self._torch_only(step, bound)
            return
        self.options.entering(self.bridge.name, step.first)
        twin = self._target(step, stream, last=last)
        stream.close()
        if unconverted:
            message = next(f.message for f in self.conversion.unconverted if _within(f, step))
            self.mirror.partial.update(dict.fromkeys(bound, message))
            self.comparison.notes += [f"{name} still uses torch" for name in sorted(bound)]
        blame = self._blame(step) or self._lacking() or self._unloaded
        if self.comparison.target.error and blame:
            # Torch code that remains in a definition cannot work on the target's values.
            self.comparison.target.error = None
            self._torch_only(step, bound, blame)
        elif self.comparison.target.error:
            self.mirror.drop(bound)
        else:
            if last:
                self.gathering.result = (value, twin)
            self._settle(step, bound, stream)
            if not last:  # after the last one everything is compared
                self._note_divergences(step)

    def _torch(self, step: cut.Step, stream: Stream, *, last: bool) -> Any:
        recorder = Recorder(stream, self.fresh)

        def work() -> Any:
            with (
                recorder.recording(),
                self.shared.files.before_changes(),
                watching(self.heard, self.fresh, self.torch_file, self.line_of),
            ):
                return self._execute_torch(step, last)

        printed = self.comparison.torch.output
        value = execute(
            self.comparison.torch,
            work,
            self._memory,
            show=self._show,
            filename=self.torch_file,
            line_of=self.line_of,
            synchronise=synchronise,
        )
        self._drop_printed(self.comparison.torch, printed)
        _without_listening(self.comparison.torch, self.heard)
        return value

    def _execute_torch(self, step: cut.Step, result: bool) -> Any:
        return run_statements(step.torch, self.torch_file, self.shared.namespace, result)

    def line_of(self, line: int) -> int:
        """Return the 0-based source line of a 0-based line of the code that torch's side runs."""
        return line - (self.options.first_line - 1)

    def _target(self, step: cut.Step, stream: Stream, *, last: bool) -> Any:
        snapshots = iter(self.heard.snapshots)
        self.heard.snapshots = []

        def fresh_call(twin: Any) -> None:
            snapshot = next(snapshots, None)
            problem = carry_snapshot(self.mirror, snapshot, twin, self.comparison.carried)
            if problem:
                stream.part(problem)

        def loss(value: Any) -> None:
            scalar = self.bridge.to_torch(value)
            note_loss(self.target_heard, scalar, self.target_file, self._origin)

        def stepping(parameters: list[Any]) -> None:
            with self.target_heard.not_counted():
                gradients = [self.bridge.gradient(parameter) for parameter in parameters]
                note_gradients(self.target_heard, gradients, self.target_file, self._origin)

        def load(file: Any) -> Any:
            name = Path(file).name if isinstance(file, str | PathLike) else "a buffer"
            try:
                value = self.mirror.loaded(file)
            except CarryError as error:
                self._unloaded = f"{name} cannot be transferred ({error})"
                raise
            if value is not None:
                self.comparison.notes.append(
                    f"{name} is a file of torch, which {self.bridge.name} cannot read: its values"
                    " were copied"
                )
            return value

        def work() -> Any:
            with (
                self.shared.quiet(),
                self.shared.files.apart(),
                self.bridge.replay(stream),
                self.bridge.watch(Hooks(loss, fresh_call, stepping, load)),
            ):
                statements = [each for each in step.target if not self._defines_again(each)]
                return self.mirror.execute(statements, self.target_file, result=last)

        self._unloaded = ""
        printed = self.comparison.target.output
        twin = execute(
            self.comparison.target,
            work,
            self._memory,
            show=False,
            filename=self.target_file,
            line_of=self._origin,
            synchronise=self.bridge.synchronise,
        )
        self._drop_printed(self.comparison.target, printed)
        _without_listening(self.comparison.target, self.target_heard)
        self.mirror.helpers.update(self.conversion.helpers)
        return twin

    def _defines_again(self, statement: ast.stmt) -> bool:
        """Return whether a statement defines a class of helpers that carried values have."""
        return (
            isinstance(statement, ast.ClassDef)
            and statement.name in self.conversion.helpers
            and statement.name in self.mirror.known_helpers()
        )

    def _drop_printed(self, run: Run, before: str) -> None:
        """Drop a step's output if the user's code captures it."""
        if sys.stdout is not self.printing:
            run.output = before

    def _note_divergences(self, step: cut.Step) -> None:
        names = step.binds | step.needs
        self.divergences.note(step, names, self.shared.namespace, self.mirror.names)

    def _settle(self, step: cut.Step, bound: Collection[str], stream: Stream) -> None:
        touched = set(bound) | self.mirror.closure(step.needs)
        if stream.problem:
            where = self.options.first_line + step.first
            note = f"line {where}: random draws could not be paired: {stream.problem}"
            self.comparison.notes.append(note)
            self.gathering.random |= touched
        if stream.factors is not None and stream.factors.followed:
            where = self.options.first_line + step.first
            self.comparison.notes.append(
                f"line {where}: eigenvectors or singular vectors were given torch's signs;"
                f" {self.bridge.name} itself returned others, which are as right"
            )
        self.mirror.sync(bound, step.needs)
        # Before a walk pairs them with themselves.
        self.comparison.carried += self.mirror.separate_own(bound)
        settle(self.mirror, touched, self.fresh, self.gathering)
        self.gathering.bound |= set(bound)
        self._order(step, touched)

    def _order(self, step: cut.Step, touched: Collection[str]) -> None:
        """Order as in torch what the step's threads filled in another order."""
        ours, theirs = self.shared.namespace, self.mirror.names
        if not acts(reach(step.needs, ours), ours):
            return
        for name in sorted(touched & ours.keys() & theirs.keys()):
            if isinstance(ours[name], dict | list) and take_order(
                ours[name], theirs[name], self.bridge
            ):
                self.comparison.notes.append(
                    f"{name}: threads filled it in another order; it was put into torch's"
                )

    def _blame(self, step: cut.Step) -> str:
        """Return which partially converted definition the step uses, and why; "" for none."""
        for name in sorted(self.mirror.closure(step.needs | step.binds)):
            if name in self.mirror.partial:
                return f"{name} still uses torch ({self.mirror.partial[name]})"
        return ""

    def _lacking(self) -> str:
        """Return which missing name ended the target's step and why it is missing, or ""."""
        error = self.comparison.target.error
        if error is None or error.kind != "NameError":
            return ""
        for item in self.comparison.carried:
            if item.failed and f"name '{item.name}' " in error.message:
                return f"{item.name} cannot be transferred ({item.reason})"
        return ""

    def _torch_only(
        self, step: cut.Step, bound: Collection[str], why: str = "has no conversion"
    ) -> None:
        """Continue with torch's results after a step without a conversion, and report it."""
        self.gathering.torch_alone = True
        self.mirror.drop(bound)
        label = f"line {self.options.first_line + step.first}"
        names = f", {', '.join(sorted(bound))} copied from torch" if bound else ""
        reason = f"{why}: ran in torch only{names}"
        converted = not self._unconverted(step)
        self.comparison.rows.append(Row(label, same=None, reason=reason, converted=converted))
        if not step.defines:
            reached = self.in_step | self.touched | step.needs
            changed = {name for name in reached if self.mirror.stale(name)}
            self.comparison.carried += self.mirror.ensure(changed | set(bound))
            self._uncompare()

    def _uncompare(self) -> None:
        """Exclude the step's torch output, losses and gradients from the comparison."""
        self.gathering.uncompared.append(self.comparison.torch.output[self._printed :])
        for heard, counts in zip((self.heard, self.target_heard), self._counts, strict=True):
            heard.drop_after(counts)

    def _unconverted(self, step: cut.Step) -> bool:
        return any(_within(finding, step) for finding in self.conversion.unconverted)

    def _bound(self, step: cut.Step, before: dict[str, Any]) -> set[str]:
        """Return the names that torch's step bound, directly or in functions that it called."""
        now = self.shared.namespace
        rebound = {k for k, v in now.items() if k not in before or before[k] is not v}
        names = rebound | (step.binds & now.keys())
        return {name for name in names if not name.startswith("_") and name not in ("In", "Out")}

    def _origin(self, line: int) -> int:
        line_map = self.conversion.line_map
        return line_map[line] if line < len(line_map) else -1


def _within(finding: workbench.Finding, step: cut.Step) -> bool:
    return step.first <= finding.range.start.line <= step.last


def _without_listening(run: Run, heard: Heard) -> None:
    """Subtract the time that the recording took from a side's time."""
    run.seconds -= heard.listening
    heard.listening = 0.0
