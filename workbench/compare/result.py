"""Result of a comparison: two runs, a row per value, the copied values, and all this as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

    from workbench.convert.conversion import Conversion
    from workbench.findings import Finding

EXCEPTION = "exception"  # the name of the row of an exception
_MOST_ROWS = 40  # that the text of a comparison lists


class Origin(StrEnum):
    """Origin of the target's value."""

    COMPUTED = "computed"  # by the converted code: its agreement is evidence
    CARRIED = "carried"  # copied from torch (a fresh random weight): it agrees by construction


class Outcome(StrEnum):
    """Outcome of a value or a cell, with the one word, sign and colour used for it everywhere."""

    SAME = "same"
    DRIFT = "drift"  # the same within torch's own drift
    DIFFERENT = "different"  # computed on both sides, with different results
    RAISED_ALONE = "raised-alone"
    RAISED = "raised"  # on both sides, at the same line, and equal until there
    UNCHECKED = "unchecked"
    UNCONVERTED = "unconverted"

    @property
    def word(self) -> str:
        """The word for the user."""
        return _LOOKS[self][0]

    @property
    def sign(self) -> str:
        """The sign used where there is no room for a word."""
        return _LOOKS[self][1]

    @property
    def colour(self) -> str:
        """`good`, `warn` or `bad`, as in the style sheets."""
        return _LOOKS[self][2]

    @property
    def agrees(self) -> bool | None:
        """Return whether both sides agree, or None if unknown."""
        return {"good": True, "bad": False}.get(self.colour, True if self is self.RAISED else None)


_LOOKS = {
    Outcome.SAME: ("same", "✓", "good"),
    Outcome.DRIFT: ("within drift", "≈", "good"),
    Outcome.DIFFERENT: ("different", "✗", "bad"),
    Outcome.RAISED_ALONE: ("raised on one side", "✗", "bad"),
    Outcome.RAISED: ("raised on both", "!", "warn"),
    Outcome.UNCHECKED: ("not checked", "?", "warn"),
    Outcome.UNCONVERTED: ("not converted", "→", "warn"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One value compared with its counterpart.

    `max_rel` is the largest difference over the largest magnitude of torch's value. `same` is None
    if the two cannot be judged (unpaired random draws); `reason` explains a value other than True.
    `drift` is the change of torch's own value under perturbed rounding, if the two are the same
    only because of it. `converted` is False for a statement that only torch ran, since it has no
    conversion. `since` is the user's line number after which the values differed.
    """

    name: str
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    max_abs: float | None = None
    max_rel: float | None = None
    same: bool | None = True
    reason: str = ""
    origin: Origin = Origin.COMPUTED
    share_off: float | None = None
    drift: float | None = None
    picture: ErrorPicture | None = field(default=None, repr=False, compare=False)
    since: int | None = None
    converted: bool = True

    @property
    def outcome(self) -> Outcome:
        """The outcome in one word."""
        if self.same is None:
            return Outcome.UNCHECKED if self.converted else Outcome.UNCONVERTED
        if self.same:
            return Outcome.SAME if self.drift is None else Outcome.DRIFT
        return Outcome.DIFFERENT


@dataclass(frozen=True, slots=True)
class ErrorPicture:
    """The differences of one tensor in compact form: a grid of maxima and a histogram."""

    grid: tuple[tuple[float, ...], ...]
    counts: tuple[int, ...]
    edges: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RunError:
    """An exception on one side, and the 0-based line of the cell that raised it."""

    kind: str
    message: str
    line: int | None = None
    trace: str = field(default="", repr=False)

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}" if self.message else self.kind


@dataclass(slots=True)
class Run:
    """One side after execution: its values by name, time, memory, printed output and error.

    `seconds` is the median of `repeats` runs if there were several. `cold` is true for the first
    run of a session, in which frameworks initialize. `tensors` are those of the rows, as torch
    tensors by the rows' names; they share memory with the run's own. `result` is the value of the
    last expression.
    """

    side: str
    device: str = "cpu"
    values: dict[str, Any] = field(default_factory=dict, repr=False)
    tensors: dict[str, torch.Tensor] = field(default_factory=dict, repr=False)
    seconds: float = 0.0
    repeats: int = 1
    cold: bool = False
    peak_memory: int | None = None
    output: str = ""
    error: RunError | None = None
    result: Any = field(default=None, repr=False)

    def drop_values(self) -> None:
        """Release the run's values, and keep its figures."""
        self.values, self.tensors, self.result = {}, {}, None


@dataclass(frozen=True, slots=True)
class Carried:
    """A value that the target did not compute: copied from torch, or impossible to copy."""

    name: str
    what: str
    reason: str = ""

    @property
    def failed(self) -> bool:
        """Return whether it could not be copied."""
        return bool(self.reason)


@dataclass(frozen=True, slots=True)
class Curve:
    """A series of numbers that both sides produced, such as the loss of each step.

    `drift` is the change of torch's own series under perturbed rounding, if measured. `parts` is
    the 1-based index of the first pair that differs by more than rounding.
    """

    name: str
    torch: tuple[float, ...]
    target: tuple[float, ...]
    drift: tuple[float, ...] = ()
    parts: int | None = None


@dataclass(slots=True)
class Comparison:
    """Two runs of the same code, compared."""

    source: str
    code: str
    target_name: str
    torch: Run
    target: Run
    rows: list[Row] = field(default_factory=list)
    carried: list[Carried] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    findings: Sequence[Finding] = ()
    ran: bool = True
    lost: str = ""  # why the worker that ran it did not finish
    first_line: int = 1  # the user's number of the first line of `source`

    @classmethod
    def begun(
        cls, source: str, conversion: Conversion, torch: Run, target: Run, first_line: int
    ) -> Comparison:
        """Return a comparison of a converted source that has no rows yet."""
        return cls(
            source,
            conversion.code,
            target.side,
            torch,
            target,
            findings=conversion.findings,
            first_line=first_line,
        )

    @property
    def same(self) -> bool:
        """Return whether both sides ran to the same end, and every value was judged the same."""
        return self.ran and all(row.same is True for row in self.rows)

    @property
    def outcome(self) -> Outcome:
        """The outcome in one word."""
        if not self.ran or self.lost:
            return Outcome.UNCHECKED
        found = {row.outcome for row in self.rows if row.name != EXCEPTION}
        if Outcome.DIFFERENT in found:
            return Outcome.DIFFERENT
        for row in self.rows:
            if row.name == EXCEPTION and row.same is not None:
                return self._raised(row)
        for outcome in (Outcome.UNCONVERTED, Outcome.DRIFT, Outcome.SAME):
            if outcome in found:
                return outcome
        # Imports and definitions leave no value to compare; a note says why a value was not.
        return Outcome.UNCHECKED if self.rows or self.notes else Outcome.SAME

    def _raised(self, row: Row) -> Outcome:
        if self.torch.error is None or self.target.error is None:
            return Outcome.RAISED_ALONE
        return Outcome.RAISED if row.same else Outcome.DIFFERENT

    @property
    def different(self) -> list[Row]:
        """The rows that are not known to be the same."""
        return [row for row in self.rows if row.same is not True]

    @property
    def valued(self) -> list[Row]:
        """The rows of values, without that of an exception."""
        return [row for row in self.rows if row.name != EXCEPTION]

    @property
    def drifted(self) -> list[Row]:
        """The rows that are the same only within torch's own drift."""
        return [row for row in self.rows if row.drift is not None]

    @property
    def computed(self) -> list[Row]:
        """The rows whose target value was computed, not copied."""
        return [row for row in self.rows if row.origin is Origin.COMPUTED]

    @property
    def max_rel(self) -> float:
        """The largest relative difference of any computed value large enough to have one."""
        sizeable = [row for row in self.computed if row.same is not True or not row.reason]
        return max((row.max_rel for row in sizeable if row.max_rel is not None), default=0.0)

    def __str__(self) -> str:
        return as_text(self)


def as_text(comparison: Comparison) -> str:
    """Return the verdict, times, a table of the values, then transfers, notes and findings."""
    lines = [headline(comparison)]
    if comparison.ran and not comparison.lost:
        lines.append(" · ".join(effort(run) for run in (comparison.torch, comparison.target)))
    if comparison.valued:
        lines += table(comparison.valued)
    lines += [
        f"carried: {item.name} ({item.what})" for item in comparison.carried if not item.failed
    ]
    lines += [
        f"not carried: {item.name} ({item.what}): {item.reason}"
        for item in comparison.carried
        if item.failed
    ]
    lines += [f"note: {note}" for note in comparison.notes]
    lines += [
        f"line {comparison.first_line + finding.range.start.line}: "
        f"{finding.severity.value}: {finding.message}"
        for finding in comparison.findings
        if finding.severity.value in ("warning", "error")
    ]
    return "\n".join(lines)


def headline(comparison: Comparison) -> str:
    """Return the outcome in one sentence."""
    if not comparison.ran:
        return f"Not checked: converted to {comparison.target_name}, and not run."
    if comparison.lost:
        return f"Not checked: {comparison.lost}."
    outcome = comparison.outcome
    rows = comparison.valued
    carried = sum(row.origin is Origin.CARRIED for row in rows)
    tail = f"; {carried} fresh random value{_plural(carried)} copied from torch" if carried else ""
    word = outcome.word.capitalize()
    if outcome in (Outcome.DIFFERENT, Outcome.RAISED_ALONE):
        return f"{word}: {_apart(comparison, rows)}{tail}."
    if outcome is Outcome.RAISED:
        until = f"; until there {_agreement(comparison)}" if rows else ""
        return f"{word}: {_raised(comparison)}{until}{tail}."
    if outcome is Outcome.UNCHECKED:
        why = [row.reason.removeprefix("not checked: ") for row in comparison.rows]
        return f"{word}: {next(iter([*why, *comparison.notes]))}."
    if outcome is Outcome.UNCONVERTED:
        alone = sum(row.outcome is outcome for row in rows)
        rest = [row for row in rows if row.outcome is not outcome]
        agreed = f"; {_agreement(comparison)}" if rest else ""
        return f"{word}: {alone} statement{_plural(alone)} ran in torch alone{agreed}{tail}."
    if not rows:
        return f"{word}: there is no value to compare."
    few = len(comparison.drifted)
    closer = f"{few} of them only within torch's own drift" if few else ""
    return f"{word}: {_agreement(comparison, closer)}{tail}."


def _agreement(comparison: Comparison, closer: str = "") -> str:
    values = [row for row in comparison.computed if row.name != EXCEPTION]
    count = sum(row.same is True for row in values)
    unchecked = sum(row.outcome is Outcome.UNCHECKED for row in values)
    of = f" of {count + unchecked}" if unchecked else ""
    agree = f"{count}{of} value{_plural(count + unchecked)} agree{'s' if count == 1 else ''}"
    if unchecked:
        closer = ", ".join(filter(None, (closer, f"{unchecked} not checked")))
    largest = f"largest relative difference {comparison.max_rel:.1e}" if count else ""
    return ", ".join(filter(None, (agree, closer, largest, _beyond(comparison))))


def _beyond(comparison: Comparison) -> str:
    """Return the values above the largest stated difference that count as the same, or ""."""
    beyond = [
        row
        for row in comparison.computed
        if row.same and row.reason and (row.max_rel or 0.0) > comparison.max_rel
    ]
    if not beyond:
        return ""
    furthest = max(row.max_rel or 0.0 for row in beyond)
    return f"{len(beyond)} up to {furthest:.1e} for the reason in its row"


def _apart(comparison: Comparison, rows: list[Row]) -> str:
    """Return what differs; an exception on one side comes first."""
    parts = [row.reason for row in comparison.different if row.name == EXCEPTION]
    wrong = sum(row.same is False for row in rows)
    unjudged = sum(row.same is None for row in rows)
    if wrong:
        parts.append(f"{wrong} of {len(rows)} differ{'s' if wrong == 1 else ''}")
    if unjudged:
        parts.append(f"{unjudged} not checked")
    return ", ".join(parts)


def _raised(comparison: Comparison) -> str:
    error = comparison.torch.error
    assert error is not None
    return f"{_at(error.line, comparison).strip() or 'torch'}: {error}"


def table(rows: list[Row]) -> list[str]:
    """Return the rows as aligned columns, different ones first."""
    ordered = sorted(rows, key=worst_first)
    cells = [
        (
            row.name,
            "" if row.shape is None else "×".join(map(str, row.shape)) or "scalar",
            row.dtype or "",
            number(row.max_abs),
            number(row.max_rel),
            verdict(row) + (f": {reason(row)}" if reason(row) else ""),
        )
        for row in ordered[:_MOST_ROWS]
    ]
    head = ("name", "shape", "dtype", "max abs", "max rel", "")
    widths = [max(len(line[i]) for line in [head, *cells]) for i in range(len(head))]
    text = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in [head, *cells]
    ]
    if len(ordered) > _MOST_ROWS:
        text.append(f"… and {len(ordered) - _MOST_ROWS} more")
    return text


def worst_first(row: Row) -> int:
    """Return a sort key: different rows, then drifting ones, then the rest."""
    return 0 if row.same is not True else 1 if row.drift is not None else 2


def verdict(row: Row) -> str:
    """Return a row's outcome in one word."""
    if row.outcome is Outcome.SAME and row.origin is Origin.CARRIED:
        return "carried"
    return row.outcome.word


def reason(row: Row) -> str:
    """Return the reason for a row's outcome, and since which line."""
    since = "" if row.since is None else f"since line {row.since}"
    text = row.reason.removeprefix("not checked: ")
    return "; ".join(filter(None, (text, since)))


def number(value: float | None) -> str:
    """Return a difference in short form."""
    if value is None:
        return ""
    return "0" if value == 0 else f"{value:.1e}"


def effort(run: Run) -> str:
    """Return time and memory of one side."""
    return f"{run.side} {seconds(run.seconds)}{repeated(run)}{memory(run)}"


def repeated(run: Run) -> str:
    """Return a note that the time is a median of several runs, or of the first run."""
    if run.cold:
        return " (first run)"
    return f" (median of {run.repeats})" if run.repeats > 1 else ""


def memory(run: Run) -> str:
    """Return the rise of memory if it is at least 1 MB, or ""."""
    if not run.peak_memory or run.peak_memory < 1 << 20:
        return ""
    return f", +{run.peak_memory / (1 << 20):.0f} MB"


def seconds(value: float) -> str:
    """Return a duration in short form."""
    if value < 0.001:
        return f"{value * 1e6:.0f} µs"
    if value < 1:
        return f"{value * 1e3:.1f} ms"
    return f"{value:.2f} s"


def _plural(count: int) -> str:
    return "" if count == 1 else "s"


def _at(line: int | None, comparison: Comparison) -> str:
    return "" if line is None else f" at line {comparison.first_line + line}"
