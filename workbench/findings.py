"""Findings about places in a user's code, and the edits that fix them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from workbench.codes import CAVEAT, DIFFERENCES
from workbench.positions import Lines, Range


class Severity(StrEnum):
    """The severity of a finding, mildest first."""

    HINT = "hint"  # converts exactly
    INFORMATION = "information"  # converts, with useful information
    WARNING = "warning"  # converts, with a caveat
    ERROR = "error"  # has no equivalent: it stays unchanged


class Certainty(StrEnum):
    """The certainty that a place is a use of torch."""

    PROVED = "proved"  # the types prove it
    ASSUMED = "assumed"  # a name that only tensors have, or a convention, indicates it
    UNKNOWN = "unknown"


class Safety(StrEnum):
    """The risk of accepting a fix."""

    SAFE = "safe"  # computes the same, and is known to be about torch
    ASSUMES = "relies on an assumption"
    CHANGES = "can compute differently"  # according to a caveat or a reported difference

    @classmethod
    def of(cls, code: str, certainty: Certainty) -> Safety:
        """Return the safety of the fix for a use that is reported with a code."""
        if code == CAVEAT or code in DIFFERENCES:
            return cls.CHANGES
        return cls.SAFE if certainty is Certainty.PROVED else cls.ASSUMES


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement of the text in `range` by `text`."""

    range: Range
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A change that a user can accept.

    Attributes:
        title: a description.
        edits: the edits of the text, which do not overlap.
        helpers: helper functions that the new text imports.
        helpers_from: the module that must contain them, as in the text.
        safety: the least safe of its conversions, or None if it converts nothing.
    """

    title: str
    edits: tuple[Edit, ...]
    helpers: tuple[str, ...] = ()
    helpers_from: str | None = None
    safety: Safety | None = None


@dataclass(kw_only=True)
class Finding:
    """A message about a use of torch, or about a hazard.

    `name` is the qualified torch name, `target` the call that replaces it. `fix` is computed when
    first used: an editor shows hundreds of findings and fixes one.
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
        """The safety of its own conversion, without related conversions."""
        return Safety.of(self.code, self.certainty)

    @cached_property
    def fix(self) -> Fix | None:
        """The edits that convert this use, nested uses, and the imports that they need, or None."""
        return self.make_fix() if self.make_fix else None


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return the text after all edits; edits at the same place keep their order.

    Raises:
        ValueError: the edits overlap.
    """
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
