"""What a comparison holds: two runs, a row per value, and what was carried rather than computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

    from workbench.convert.conversion import Conversion
    from workbench.findings import Finding


EXCEPTION = "exception"  # the name of the row that tells of one


class Origin(StrEnum):
    """Where the target's value came from."""

    COMPUTED = "computed"  # by the converted code: its agreement proves something
    CARRIED = "carried"  # copied from torch (a fresh random weight): it agrees by construction


class Outcome(StrEnum):
    """What a value or a cell came to: each has one word, one sign and one colour, here alone."""

    SAME = "same"
    DRIFT = "drift"  # the same, within what torch drifts from itself
    DIFFERENT = "different"  # computed on both sides, and they disagree
    RAISED_ALONE = "raised-alone"
    RAISED = "raised"  # on both sides, at one line, and they agreed until there
    UNCHECKED = "unchecked"
    UNCONVERTED = "unconverted"

    @property
    def word(self) -> str:
        """What a reader calls it."""
        return _LOOKS[self][0]

    @property
    def sign(self) -> str:
        """What stands for it where there is no room for a word."""
        return _LOOKS[self][1]

    @property
    def colour(self) -> str:
        """`good`, `warn` or `bad`, as the style sheets have them."""
        return _LOOKS[self][2]

    @property
    def agrees(self) -> bool | None:
        """Whether both sides agree; None where it is not known."""
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
    """One value held against its counterpart.

    `max_rel` is the largest difference over the largest magnitude of torch's value. `same` is None
    where the two cannot be judged (unpaired random draws); `reason` says why it is not True.
    `drift` is how far torch's own value moves when its rounding is disturbed, where the two are the
    same for its sake alone. `converted` is False for a statement that ran in torch alone, since it
    has no conversion. `since` is the line, as its reader counts, after which it was apart.
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
        """What it came to, in one word."""
        if self.same is None:
            return Outcome.UNCHECKED if self.converted else Outcome.UNCONVERTED
        if self.same:
            return Outcome.SAME if self.drift is None else Outcome.DRIFT
        return Outcome.DIFFERENT


@dataclass(frozen=True, slots=True)
class ErrorPicture:
    """The differences of one tensor, small enough to keep: a grid of maxima and a histogram."""

    grid: tuple[tuple[float, ...], ...]
    counts: tuple[int, ...]
    edges: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RunError:
    """An exception on one side: what, and the 0-based line of the cell that it came from."""

    kind: str
    message: str
    line: int | None = None
    trace: str = field(default="", repr=False)

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}" if self.message else self.kind


@dataclass(slots=True)
class Run:
    """One side, executed: its values by name, time, memory, printed output and error.

    `seconds` is the median of `repeats` runs where there were several, `cold` says that it is the
    first run of a session, in which frameworks set themselves up. `tensors` are those that
    rows speak of, as torch tensors, by the rows' names; they go on to change as the run's own do.
    `result` is the value of the last expression.
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
        """Let go of all that the run made, and keep what is said of it."""
        self.values, self.tensors, self.result = {}, {}, None


@dataclass(frozen=True, slots=True)
class Carried:
    """A value that the target side did not compute: copied from torch, or impossible to copy."""

    name: str
    what: str
    reason: str = ""

    @property
    def failed(self) -> bool:
        """True where it could not be carried."""
        return bool(self.reason)


@dataclass(frozen=True, slots=True)
class Curve:
    """A series of numbers that both sides produced, such as the loss of each step.

    `drift` is how far torch's own moved when its rounding was disturbed, where this was measured.
    `parts` is the number, from 1, that is the first to be further apart than rounding.
    """

    name: str
    torch: tuple[float, ...]
    target: tuple[float, ...]
    drift: tuple[float, ...] = ()
    parts: int | None = None


@dataclass(slots=True)
class Comparison:
    """Two runs of the same code, held together."""

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
    lost: str = ""  # why the worker that ran it did not come back
    first_line: int = 1  # what the reader calls the first line of `source`

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
        """True where both sides ran to the same end and no value differs or stayed unjudged."""
        return self.ran and all(row.same is True for row in self.rows)

    @property
    def outcome(self) -> Outcome:
        """What it came to, in one word."""
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
        """The rows of values: all but that of an exception."""
        return [row for row in self.rows if row.name != EXCEPTION]

    @property
    def drifted(self) -> list[Row]:
        """The rows that are the same but for what torch drifts from itself."""
        return [row for row in self.rows if row.drift is not None]

    @property
    def computed(self) -> list[Row]:
        """The rows whose target value was computed, not carried."""
        return [row for row in self.rows if row.origin is Origin.COMPUTED]

    @property
    def max_rel(self) -> float:
        """The largest relative difference of any computed value large enough to have one."""
        sizeable = [row for row in self.computed if row.same is not True or not row.reason]
        return max((row.max_rel for row in sizeable if row.max_rel is not None), default=0.0)

    def __str__(self) -> str:
        from workbench.compare.result_text import as_text

        return as_text(self)
