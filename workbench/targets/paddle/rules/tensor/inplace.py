"""Filling and copying in place."""

from __future__ import annotations

import ast

from workbench.rules.family import Family
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.source.types import dtypes
from workbench.source.types.lattice import Tensor

rules = Family()

_T = "torch.Tensor."

rules.rule(
    _T + "zero_",
    cases=[
        "t = x.clone()\nt.zero_()",
        "t = x.clone()\nt[0].zero_()",
        "t = w * 2\nt[1:, 0].zero_()\nt[-1].add_(3)\nt[0, 2].fill_(4.0)\n"
        "t[:1].copy_(t[1:2])\nt.square().sum().backward()\ng = w.grad",
    ],
)(lambda match: Keep())
rules.row("torch.zero_", "{input}.zero_()", cases=["t = x.clone()\ntorch.zero_(t)"])


@rules.rule(
    _T + "fill_",
    signature="(value)",
    unpacked="torch_into({self}, ...)",
    cases=[
        "t = x.clone()\nt.fill_(3)",
        "t = x.clone()\nk = (2.5,)\nt.fill_(*k)\nr = x.clone().fill_(**{'value': 4})",
        "t = x.clone()\nt[0].fill_(-1.5)",
        "t = x.clone()\nt.fill_(torch.tensor(2.0))",
        "t = m.clone()\nt.fill_(False)",
        "t = x.clone()\nt.fill_(float('nan'))",
        "t = x.clone()\nt.fill_(torch.nan)",
    ],
)
def fill(match: Match) -> Outcome:
    plain = match.is_number("value") and not _may_be_nan(match.arguments["value"].node)
    return Keep() if plain else Rewrite("torch_into({self}, {value})")


def _may_be_nan(node: ast.expr) -> bool:
    """True for `float("nan")`, `torch.nan` and their like, with which Paddle fills nothing."""
    return "nan" in ast.unparse(node).lower()


rules.row(
    "torch.fill_",
    "torch_into({input}, {value})",
    signature="(input, value)",
    cases=["t = x.clone()\ntorch.fill_(t, 2)"],
)
rules.row(
    "torch.fill",
    "torch_filled({input}, {value})",
    signature="(input, value)",
    cases=[
        "torch.fill(x, 2)",
        "torch.fill(w, 2.5).sum().backward()\ng = w.grad",
        "t = torch.tensor(2.0, requires_grad=True)\ntorch.fill(x, t).sum().backward()\ng = t.grad",
    ],
)
rules.row(
    _T + "copy_",
    "torch_into({self}, {other})",
    signature="(other, non_blocking=False)",
    ignored={"non_blocking": "when the copy is made changes speed alone"},
    cases=[
        "t = x.clone()\nr = t.copy_(y)",
        "t = x.clone()\nt.copy_(i)",
        "t = x.clone()\nt[0].copy_(n.sum())",
        "t = x.clone()\nt.copy_(y[0], non_blocking=True)",
        "t = torch.zeros(3, 4)\nt.copy_(w)\nt.sum().backward()\ng = w.grad",
        "with torch.no_grad():\n    w.copy_(x)",
        "t = w * 2\nt.copy_(y)\nt.sum().backward()\ng = w.grad",
        "t = w.sum()\nt.exp2_()\nt.backward()\ng = w.grad",
        "t = w * 2\nt.copy_(w[0] * 3)\n(t * t).sum().backward()\ng = w.grad",
    ],
)


@rules.rule(
    _T + "fill_diagonal_",
    signature="(fill_value, wrap=False)",
    cases=[
        "t = sq.clone()\nr = t.fill_diagonal_(0)",
        "t = n[:, None] == n[None]\nr = t.fill_diagonal_(0)\n"
        "k = n[:, None] * n\nk.fill_diagonal_(-1)",
        "t = sq.half()\nt.fill_diagonal_(0.5)\n"
        "k = sq.to(torch.int16)\nk.fill_diagonal_(fill_value=7)",
        "t = torch.zeros(5, 2)\nt.fill_diagonal_(1.0, wrap=True)",
    ],
)
def fill_diagonal_(match: Match) -> Outcome:
    value = match.use.receiver_value
    plain = isinstance(value, Tensor) and value.dtype in {
        dtypes.FLOATING,
        "float32",
        "float64",
        "int64",
        "bool",
    }
    written = "{self}.fill_diagonal_(" if plain else "torch_fill_diagonal_({self}, "
    return Rewrite(written + "{fill_value}, wrap={wrap=False})")
