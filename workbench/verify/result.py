"""Result of a verification: checks with their figures, locations and causes."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from workbench.compare.result import Curve


class Outcome(StrEnum):
    """Outcome of a check."""

    AGREES = "agrees"
    DIFFERS = "differs"
    REPORTED = "reported"  # a difference that a correct port may have
    SKIPPED = "not run"


@dataclass
class Figure:
    """One value of both sides: its largest difference, and the limit that rounding explains."""

    name: str
    same: bool
    difference: float | None = None
    limit: float | None = None
    reason: str = ""


@dataclass
class Where:
    """A location at which the two sides diverge, and its likely cause.

    Attributes:
        port: the line in the port, as `file:line`.
        original: the line in the original.
        what: what differs there.
        cause: the reason, in words; empty if no known pattern fits.
        tested: the sides agree once the cause is removed.
    """

    port: str = ""
    original: str = ""
    what: str = ""
    cause: str = ""
    tested: bool = False

    def __str__(self) -> str:
        reason = self.cause or self.what
        tested = ", and with that changed both sides agree" if self.tested else ""
        original = f" (original: {self.original})" if self.port and self.original else ""
        return f"{self.port or self.original}: {reason}{tested}{original}"


@dataclass
class Check:
    """One check of a verification; `curves` hold its values per step."""

    name: str
    outcome: Outcome = Outcome.AGREES
    summary: str = ""
    figures: list[Figure] = field(default_factory=list)
    places: list[Where] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)

    @property
    def differing(self) -> list[Figure]:
        """The figures that differ."""
        return [figure for figure in self.figures if not figure.same]

    def settle(self) -> Check:
        """Set the outcome and the summary from the figures, and return the check."""
        off = self.differing
        if off and self.outcome is Outcome.AGREES:
            self.outcome = Outcome.DIFFERS
            self.summary = f"{off[0].name}: {off[0].reason}" + (
                f", and {len(off) - 1} more" if len(off) > 1 else ""
            )
        return self


@dataclass
class Verification:
    """Result of a whole verification.

    Attributes:
        checks: the checks in the order in which they ran.
        pairs: the pairs of tensors.
        doubts: pairs that consist of parts of a tensor.
        instead: an equally likely alternative to `pairs`.
        precise: the checks ran in double precision.
        weights: the record of both models' tensors, as `recorded_weights.record` returns it.
    """

    checks: list[Check] = field(default_factory=list)
    pairs: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    instead: list[str] = field(default_factory=list)
    precise: bool = False
    weights: dict[str, Any] = field(default_factory=dict)

    @property
    def certified(self) -> bool:
        """Return whether every check ran and nothing differs."""
        return bool(self.checks) and all(
            check.outcome in (Outcome.AGREES, Outcome.REPORTED) for check in self.checks
        )

    @property
    def places(self) -> list[Where]:
        """The locations at which the sides diverge, the likeliest first, each line once."""
        found: dict[str, Where] = {}
        for check in self.checks:
            if check.outcome is Outcome.DIFFERS:
                for where in check.places:
                    found.setdefault(where.port or where.original, where)
        return sorted(found.values(), key=lambda where: not where.tested)

    def as_dict(self) -> dict[str, Any]:
        """Return the verification as plain data."""
        return {
            "certified": self.certified,
            "precise": self.precise,
            "places": [asdict(where) for where in self.places],
            "checks": [asdict(check) for check in self.checks],
            "pairs": self.pairs,
            "doubts": self.doubts,
            "weights": self.weights,
        }
