"""How often values occur: counts, bins, and the distinct values among many."""

from __future__ import annotations

from dataclasses import replace

from workbench.rules.family import Family
from workbench.rules.match import NOT_CONSTANT, Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.rules.rule import Rule

rules = Family()

rules.both(
    "bincount",
    "torch_bincount({input}, {weights=None}, {minlength=0})",
    signature="(input, weights=None, minlength=0)",
    cases=[
        "torch.bincount(n)",
        "n.bincount(minlength=5)",
        "torch.bincount(n, weights=torch.tensor([0.5, 1.0, 2.0]))",
        "torch.bincount(n, minlength=6)",
        "torch.bincount(n.to(torch.uint8))",
        "torch.bincount(n, n.to(torch.uint8)), torch.bincount(n, n.short())",
    ],
)
rules.both(
    "histc",
    "torch_histc({input}, bins={bins}, min={min}, max={max})",
    signature="(input, bins=100, min=0, max=0, *, out=None)",
    cases=["torch.histc(x, 5)", "x.histc(bins=4, min=-1, max=1)", "torch.histc(x)"],
)
rules.both(
    "unique",
    "torch_unique({input}, {sorted=True}, {return_inverse=False}, "
    "{return_counts=False}, {dim=None})",
    signature="(input, sorted=True, return_inverse=False, return_counts=False, dim=None)",
    cases=[
        "torch.unique(i)",
        "v, k = torch.unique(i, return_inverse=True)",
        "i.unique(return_counts=True)",
        "torch.unique(i, dim=0)",
        "torch.unique(i, True, True, True)",
        "torch.unique(torch.ones(3, requires_grad=True))",
        "n.unique(dim=0, return_counts=True)",
        "v, k = n.unique(dim=-1, return_inverse=True)",
        "torch.unique(i.reshape(-1, 1, 2), dim=-3)",
        "torch.unique(torch.zeros(2, 0)), torch.unique(torch.zeros(0, 3), return_counts=True)",
    ],
)
rules.both(
    "unique_consecutive",
    "torch_unique_consecutive({input}, return_inverse={return_inverse}, "
    "return_counts={return_counts}, dim={dim})",
    signature="(input, return_inverse=False, return_counts=False, dim=None)",
    cases=[
        "torch.unique_consecutive(torch.tensor([1, 1, 2, 1]))",
        "i.unique_consecutive(return_counts=True)",
        "torch.unique_consecutive(i, True, True, dim=0)",
        "i.unique_consecutive(True), i.unique_consecutive(False, True, 0)",
        "torch.unique_consecutive(i, True), torch.unique_consecutive(i, False, True)",
        "torch.unique_consecutive(n, True, return_counts=True), torch.unique_consecutive(n, False)",
        "k = True\ntorch.unique_consecutive(n, k, False, 0), torch.unique_consecutive(i, k, k)",
        "torch.unique_consecutive(n, return_counts=True, return_inverse=True)",
        "torch.unique_consecutive(n, False, return_counts=True)",
        "k, f = (n, True), torch.unique_consecutive\n"
        "torch.unique_consecutive(*k), f(n, False, True), f(input=n, return_counts=True)",
    ],
)


def _as_dispatched(row: Rule) -> Rule:
    """The rule of torch's function, which reads the flags that are given by place wrongly.

    It looks for `return_inverse` where `return_counts` stands, and the other way round, to choose
    what it returns, though not to choose what it computes.
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
rules.handed_on({"torch.unique_consecutive": "torch_unique_consecutive_by_place"})
rules.both(
    "histogram",
    "torch_histogram({input}, {bins=100}, range={range}, weight={weight}, density={density})",
    signature="(input, bins=100, *, range=None, weight=None, density=False)",
    cases=[
        "torch.histogram(x, 4)",
        "torch.histogram(x, density=True)",
        "h, e = x.histogram(bins=3, range=(-1.0, 1.0))",
        "torch.histogram(x, 5, density=True)",
        "torch.histogram(torch.ones(3), 2), torch.histogram(x.detach().requires_grad_(), 2)",
    ],
)
rules.row(
    "torch.histogramdd",
    "torch_histogramdd({input}, {bins}, {range=None}, {weight=None}, {density=False})",
    signature="(input, bins, range=None, weight=None, density=False)",
    cases=[
        "h, e = torch.histogramdd(x, bins=[3, 2, 2, 1])",
        "k = torch.tensor([-1.0, 0.0, 0.5, 2.0])\n"
        "h, e = torch.histogramdd(x[:, :2], [k, k[1:]], weight=p[:, 0], density=True)",
        "h, e = torch.histogramdd(x[:0, :2], [3, 2])",
        "torch.histogramdd(x[:, :2], [3, 2], range=[-1.0, 1.0, -2.0, 2.0], density=True)",
        "torch.histogramdd(x[:, :2], [2, 2], weight=p[:, 0])",
        "torch.histogramdd(x[:, :2], (2, 3)), torch.histogramdd(x[:, :2], 2)",
    ],
)
