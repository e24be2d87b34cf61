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

rules.rule(_T + "zero_")(lambda match: Keep())
rules.row("torch.zero_", "{input}.zero_()")


@rules.rule(_T + "fill_", unpacked="torch_into({self}, ...)")
def fill(match: Match) -> Outcome:
    plain = match.is_number("value") and not _may_be_nan(match.arguments["value"].node)
    return Keep() if plain else Rewrite("torch_into({self}, {value})")


def _may_be_nan(node: ast.expr) -> bool:
    """Return whether it is `float("nan")`, `torch.nan` or similar, which Paddle's fill ignores."""
    return "nan" in ast.unparse(node).lower()


rules.row("torch.fill_", "torch_into({input}, {value})")
rules.row("torch.fill", "torch_filled({input}, {value})")
rules.row(
    _T + "copy_",
    "torch_into({self}, {other})",
    ignored={"non_blocking": "it affects only speed"},
)


@rules.rule(_T + "fill_diagonal_")
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
