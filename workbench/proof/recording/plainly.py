"""Record of a rule's cases in the plain style, and its wording."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from workbench.proof.snippet import NOTICED, Outcome, Result
from workbench.rules.difference import Difference

_SHOWN = 120  # characters of a reason
# Outcomes whose reasons are not problems.
_WITHOUT_PROBLEM = (*NOTICED, Outcome.EQUAL, Outcome.SKIPPED)


@dataclass(slots=True)
class Plainly:
    """The cases of one rule in the plain style.

    Attributes:
        digest: the plain style's digest when they were run.
        counts: the number of cases by outcome.
        written: the replacements of the name in the output, in the order of the cases.
        differs: the codes of the small differences that were reported.
        problems: the first reason of each outcome that is refused, differs or fails.
    """

    digest: str = ""
    counts: Counter[str] = field(default_factory=Counter)
    written: list[str] = field(default_factory=list)
    differs: list[str] = field(default_factory=list)
    problems: dict[str, str] = field(default_factory=dict)

    def add(self, result: Result) -> None:
        """Add one result."""
        self.counts[result.outcome] += 1
        self.written += [one for one in result.written if one not in self.written]
        self.differs = sorted({*self.differs, *result.differs})
        if result.outcome not in _WITHOUT_PROBLEM:
            self.problems.setdefault(result.outcome, " ".join(result.detail.split())[:_SHOWN])

    @property
    def judged(self) -> int:
        """The number of cases that torch itself accepts here."""
        return self.counts.total() - self.counts[Outcome.SKIPPED]

    @property
    def remains(self) -> list[str]:
        """The remaining differences and how a user learns of them, each in a few words."""
        reported, raising = self.counts[Outcome.REPORTED], self.counts[Outcome.RAISES]
        return [
            *([f"{reported} {_differ(reported)} as reported"] if reported else []),
            *([f"in {raising} the target raises an error"] if raising else []),
        ]

    def sentence(self, title: str) -> str:
        """Return a summary sentence, or "" if no case was run."""
        if not self.judged:
            return ""
        forms = " or ".join(f"`{one}`" for one in self.written)
        same, many = self.counts[Outcome.EQUAL], self.judged
        found = f"all {many} cases give the same result" if same == many > 1 else _same(same, many)
        rest = f" ({', '.join(self.remains)})" if self.remains else ""
        reports = "".join(f" {code}: {self._words(code, title)}." for code in self.differs)
        written = f", written as {forms}," if forms else ""
        return f"In the plain style{written} {found}{rest}.{reports}"

    @staticmethod
    def _words(code: str, title: str) -> str:
        return Difference(code).words.replace("{target}", title)

    def as_data(self) -> dict[str, Any]:
        """Return data for JSON, without empty values."""
        data = {
            "digest": self.digest,
            "counts": dict(sorted(self.counts.items())),
            "written": self.written,
            "differs": self.differs,
            "problems": dict(sorted(self.problems.items())),
        }
        return {key: value for key, value in data.items() if value}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Plainly:
        """Create an instance from JSON data."""
        return cls(
            data.get("digest", ""),
            Counter(data.get("counts", {})),
            data.get("written", []),
            data.get("differs", []),
            data.get("problems", {}),
        )


def _differ(count: int) -> str:
    return "differs" if count == 1 else "differ"


def _same(same: int, many: int) -> str:
    cases = "its case" if many == 1 else f"{same} of {many} cases"
    if many == 1:
        return (
            f"{cases} gives the same result" if same else f"{cases} does not give the same result"
        )
    return f"{cases} {'gives' if same == 1 else 'give'} the same result"
