"""Counts of values: counts, bins, and distinct values."""

from __future__ import annotations

from dataclasses import replace

from workbench.rules.family import Family
from workbench.rules.match import NOT_CONSTANT, Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.rules.rule import Rule

rules = Family()

rules.both("bincount", "torch_bincount({input}, {weights=None}, {minlength=0})")
rules.both("histc", "torch_histc({input}, bins={bins}, min={min}, max={max})")
rules.both(
    "unique",
    "torch_unique({input}, {sorted=True}, {return_inverse=False}, "
    "{return_counts=False}, {dim=None})",
)
rules.both(
    "unique_consecutive",
    "torch_unique_consecutive({input}, return_inverse={return_inverse}, "
    "return_counts={return_counts}, dim={dim})",
)


def _as_dispatched(row: Rule) -> Rule:
    """Return the rule with torch's own misreading of flags that are passed by position.

    To choose what it returns, though not what it computes, torch reads `return_inverse` at the
    position of `return_counts`, and vice versa.
    """

    def decide(match: Match) -> Outcome:
        call = match.use.call
        placed = len(call.args) if call is not None else 0
        inverse, counts = (
            match.constant(name, False) for name in ("return_inverse", "return_counts")
        )
        read = (counts, inverse) if placed > 2 else (False, counts or inverse)
        if placed < 2 or (NOT_CONSTANT not in read and read == (inverse, counts)):
            return row.apply(match)
        return Rewrite("torch_unique_consecutive_by_place(...)")

    return replace(row, function=decide)


rules.rules[:] = [
    _as_dispatched(rule) if rule.name == "torch.unique_consecutive" else rule
    for rule in rules.rules
]
rules.as_values({"torch.unique_consecutive": "torch_unique_consecutive_by_place"})
rules.both(
    "histogram",
    "torch_histogram({input}, {bins=100}, range={range}, weight={weight}, density={density})",
)
rules.row(
    "torch.histogramdd",
    "torch_histogramdd({input}, {bins}, {range=None}, {weight=None}, {density=False})",
)
