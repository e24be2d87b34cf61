"""A sample of torch's databases as a snippet of source code, run on both sides and compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import numpy as np

Outcome = Literal[
    "equal",
    "refused",
    "caveat",
    "told",
    "lacks",
    "special",
    "wrong",
    "loud",
    "fails",
    "hangs",
    "skipped",
]

NOT_INSTALLED = " is not installed"  # how the detail of a skipped snippet ends
PLAIN_CASE = "case, written plainly"  # the form of a rule's own case in the plain style


@dataclass(frozen=True, slots=True)
class Snippet:
    """Source code that both sides run.

    Attributes:
        rule: the canonical torch name that it exercises.
        form: how the call is written.
        dtype: of the sample's tensors.
        setup: the lines that bind the inputs.
        body: the call; it binds `result`.
        leaves: names of the inputs whose gradients are compared, where the result has any.
        after: lines that follow the gradient, and bind what else is compared.
        arrays: what the setup takes by name.
        random: results differ from run to run; they are compared by distribution.
        undefined: results are whatever memory holds; shape and dtype alone are compared.
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
        """The whole text, with the lines that take the gradient."""
        parts = ["import torch\n", self.setup, self.body, gradient, self.after]
        return "\n".join(part for part in parts if part) + "\n"


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a snippet.

    Attributes:
        outcome: `equal`; `refused` under a finding; `caveat`: differs, as a finding says; `told`:
            differs, in a plain form whose small difference is told; `lacks`:
            the target says that it has no kernel for the dtype; `special`: differs for NaN and
            infinity; `wrong` or `fails` without a finding; `loud`: the target raises, in a plain
            form; `hangs`: a watchdog or a crash ended
            it; `skipped`: torch does not take it in this form.
        detail: the reason or the difference.
        largest: the largest relative difference of a float.
        written: what stands for the rule's name in the converted code.
        differs: the codes of the small differences that were told.
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
        """Whether a package that the snippet uses is not installed."""
        return self.outcome == "skipped" and self.detail.endswith(NOT_INSTALLED)

    @property
    def problem(self) -> str | None:
        """What is not the same, None where both sides agree."""
        return None if self.outcome == "equal" else f"{self.outcome}: {self.detail}"

    @property
    def told(self) -> str | None:
        """How a plain form differs where a finding or the target says so; else None."""
        words = {"told": "differs as told", "loud": "the target raises"}.get(self.outcome)
        return f"{words}: {self.detail}" if words else None
