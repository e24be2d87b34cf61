"""What a verification found: checks with their figures, places, causes."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from workbench.compare.result import Curve


class Outcome(StrEnum):
    """How a check went."""

    AGREES = "agrees"
    DIFFERS = "differs"
    TOLD = "told"  # a difference that a correct port may have
    SKIPPED = "not run"


@dataclass
class Figure:
    """One value of both sides: its difference, and what rounding explains."""

    name: str
    same: bool
    difference: float | None = None
    limit: float | None = None
    reason: str = ""


@dataclass
class Where:
    """A place at which the two sides part, and its likely cause.

    Attributes:
        port: the line in the port, as `file:line`.
        original: that in the original.
        what: what differs there.
        cause: why, in words; empty where no known pattern fits.
        tested: whether the sides agree once the cause is taken away.
    """

    port: str = ""
    original: str = ""
    what: str = ""
    cause: str = ""
    tested: bool = False

    def __str__(self) -> str:
        told = self.cause or self.what
        tested = ", and with that changed both sides agree" if self.tested else ""
        beside = f" (original: {self.original})" if self.original else ""
        return f"{self.port}: {told}{tested}{beside}"


@dataclass
class Check:
    """One thing that was looked at; `curves` are what it followed from step to step."""

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
        """The check with its outcome told by its figures."""
        off = self.differing
        if off and self.outcome is Outcome.AGREES:
            self.outcome = Outcome.DIFFERS
            self.summary = f"{off[0].name}: {off[0].reason}" + (
                f", and {len(off) - 1} more" if len(off) > 1 else ""
            )
        return self


@dataclass
class Verification:
    """All of it.

    `doubts` are pairs of parts, and `instead` is another reading of all pairs that is as likely.
    """

    checks: list[Check] = field(default_factory=list)
    pairs: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    instead: list[str] = field(default_factory=list)
    precise: bool = False

    @property
    def certified(self) -> bool:
        """Whether every check ran, and nothing differs."""
        return bool(self.checks) and all(
            check.outcome in (Outcome.AGREES, Outcome.TOLD) for check in self.checks
        )

    @property
    def places(self) -> list[Where]:
        """Where the sides part, the likeliest first, each line once."""
        found: dict[str, Where] = {}
        for check in self.checks:
            if check.outcome is Outcome.DIFFERS:
                for where in check.places:
                    found.setdefault(where.port, where)
        return sorted(found.values(), key=lambda where: not where.tested)

    def as_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "certified": self.certified,
            "precise": self.precise,
            "places": [asdict(where) for where in self.places],
            "checks": [asdict(check) for check in self.checks],
            "pairs": self.pairs,
            "doubts": self.doubts,
        }
