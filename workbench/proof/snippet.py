"""A sample of torch's databases as source code, and the result of running it on both sides."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


class Outcome(StrEnum):
    """How the two sides of a snippet or a case compare."""

    EQUAL = "equal"
    REFUSED = "refused"  # a finding refuses it
    CAVEAT = "caveat"  # differs as a finding warns
    REPORTED = "reported"  # a plain form differs as a finding reports
    LACKS = "lacks"  # the target says that it has no kernel for the dtype
    SPECIAL = "special"  # differs only for NaN and infinity
    WRONG = "wrong"  # differs without a finding
    RAISES = "raises"  # a plain form raises in the target
    FAILS = "fails"  # raises in the target without a finding
    HANGS = "hangs"  # a timeout or a crash ended it
    SKIPPED = "skipped"  # torch does not accept it in this form


# Outcomes of a plain form that a person notices: the target raises, or a finding reports it.
NOTICED = frozenset({Outcome.RAISES, Outcome.REPORTED})
# Differences that nothing reports, which must not occur.
UNREPORTED = (Outcome.WRONG, Outcome.FAILS, Outcome.HANGS)
NOT_INSTALLED = " is not installed"  # suffix of the detail of a skipped snippet
PLAIN_CASE = "case, written plainly"  # the form of a rule's own case in the plain style


@dataclass(frozen=True, slots=True)
class Snippet:
    """Source code that both sides run.

    Attributes:
        rule: the canonical torch name that it exercises.
        form: how the call is written.
        dtype: the dtype of the sample's tensors.
        setup: the lines that bind the inputs.
        body: the call; it binds `result`.
        leaves: names of the inputs whose gradients are compared, if the result has gradients.
        after: lines after the backward pass that bind further values to compare.
        arrays: arrays that the setup uses, by name.
        random: results differ from run to run; they are compared by distribution.
        undefined: results are uninitialized memory; only shape and dtype are compared.
    """

    rule: str
    form: str
    dtype: str
    setup: str
    body: str
    leaves: tuple[str, ...] = ()
    after: str = ""
    arrays: dict[str, np.ndarray[Any, Any]] = field(default_factory=dict)
    random: bool = False
    undefined: bool = False

    def source(self, gradient: str = "") -> str:
        """Return the whole text, with lines that compute the gradient."""
        parts = ["import torch\n", self.setup, self.body, gradient, self.after]
        return "\n".join(part for part in parts if part) + "\n"


@dataclass(frozen=True, slots=True)
class Result:
    """Result of a snippet.

    Attributes:
        rule: the canonical torch name.
        form: how the call is written.
        dtype: the dtype of the sample's tensors.
        outcome: how both sides compare.
        detail: the reason or the difference.
        largest: the largest relative difference of a float.
        source: the torch code.
        converted: the converted code.
        written: the replacements of the rule's name in the converted code.
        differs: the codes of the small differences that were reported.
    """

    rule: str
    form: str
    dtype: str
    outcome: Outcome
    detail: str = ""
    largest: float = 0.0
    source: str = ""
    converted: str = ""
    written: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()

    @property
    def lacks_package(self) -> bool:
        """Return whether a package that the snippet uses is not installed."""
        return self.outcome is Outcome.SKIPPED and self.detail.endswith(NOT_INSTALLED)

    @property
    def problem(self) -> str | None:
        """The difference, or None if both sides agree."""
        return None if self.outcome is Outcome.EQUAL else f"{self.outcome}: {self.detail}"

    @property
    def reported(self) -> str | None:
        """How a plain form differs with a finding or an error of the target, or None."""
        words = {
            Outcome.REPORTED: "differs as reported",
            Outcome.RAISES: "the target raises",
        }.get(self.outcome)
        return f"{words}: {self.detail}" if words else None
