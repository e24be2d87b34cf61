"""What a user reads about one place in their code, and the edits that mend it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from workbench.codes import CAVEAT, DIFFERENCES
from workbench.positions import Lines, Range


class Severity(StrEnum):
    """How much a finding asks of the reader, mildest first."""

    HINT = "hint"  # converts exactly
    INFORMATION = "information"  # converts, with something worth knowing
    WARNING = "warning"  # converts, with a caveat
    ERROR = "error"  # has no equivalent: it stays as it is


class Certainty(StrEnum):
    """How well it is known that a place is a use of torch."""

    PROVED = "proved"  # the types say so
    ASSUMED = "assumed"  # a name that only tensors have, or a convention, says so
    UNKNOWN = "unknown"


class Safety(StrEnum):
    """What a person takes on who accepts a fix."""

    SAFE = "safe"  # computes the same, and is known to be about torch
    ASSUMES = "relies on an assumption"
    CHANGES = "can compute differently"  # as a caveat or a reported difference says

    @classmethod
    def of(cls, code: str, certainty: Certainty) -> Safety:
        """That of the fix for a use which is reported under a code."""
        if code == CAVEAT or code in DIFFERENCES:
            return cls.CHANGES
        return cls.SAFE if certainty is Certainty.PROVED else cls.ASSUMES


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text in `range` by `text`."""

    range: Range
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A change that a user can accept.

    Attributes:
        title: what it does.
        edits: of the text, apart from each other.
        helpers: helper functions that the new text imports.
        helpers_from: the module that must have them, as the text says it.
        safety: the least safe of the conversions in it; None where it is about something else.
    """

    title: str
    edits: tuple[Edit, ...]
    helpers: tuple[str, ...] = ()
    helpers_from: str | None = None
    safety: Safety | None = None


@dataclass(kw_only=True)
class Finding:
    """One remark about one use of torch, or about a hazard.

    `name` is the qualified torch name that it is about, `target` the call that takes its place.
    `fix` is computed when first asked for: an editor shows hundreds of findings and mends one.
    """

    code: str
    severity: Severity
    message: str
    range: Range
    certainty: Certainty = Certainty.PROVED
    name: str | None = None
    target: str | None = None
    converts: bool = False
    make_fix: Callable[[], Fix | None] | None = field(default=None, repr=False, compare=False)

    @property
    def safety(self) -> Safety:
        """What its own conversion takes on, without what goes with it."""
        return Safety.of(self.code, self.certainty)

    @cached_property
    def fix(self) -> Fix | None:
        """The edits that convert this use, those nested in it, and the imports they need."""
        return self.make_fix() if self.make_fix else None


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text after all edits, which must not overlap; equal places keep their order."""
    lines = Lines(text)
    pieces: list[str] = []
    done = 0
    for edit in sorted(edits, key=lambda edit: edit.range):
        start, end = lines.offset(edit.range.start), lines.offset(edit.range.end)
        if start < done:
            raise ValueError(f"edits overlap at line {edit.range.start.line + 1}")
        pieces += text[done:start], edit.text
        done = end
    return "".join([*pieces, text[done:]])
