"""Result of a comparison: two runs, a row per value, and the values that were copied."""

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
        from workbench.compare.result_text import as_text

        return as_text(self)
