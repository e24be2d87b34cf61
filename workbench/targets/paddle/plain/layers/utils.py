"""`torch.nn.utils` as Paddle writes it."""

from __future__ import annotations

import ast

from workbench.rules.difference import unless
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite

forms = FormSet()

_U = "paddle.nn.utils"
forms.row(
    "torch.nn.utils.clip_grad_norm_",
    to=(
        f"{_U}.clip_grad_norm_({{parameters}}, {{max_norm}})",
        f"{_U}.clip_grad_norm_({{parameters}}, {{max_norm}}, norm_type={{norm_type}},"
        " error_if_nonfinite={error_if_nonfinite})",
    ),
)
forms.row(
    "torch.nn.utils.clip_grad_value_",
    to=f"{_U}.clip_grad_value_({{parameters}}, {{clip_value}})",
)

# Functions that return a vector to which nothing else refers.
_NEW = frozenset({"clone", "cat", "concat", "parameters_to_vector"})


@forms.form("torch.nn.utils.vector_to_parameters")
def vector_to_parameters(match: Match) -> Outcome | None:
    """Write a copy of the vector; in torch the parameters are views of it."""
    vector = match.arguments["vec"].node
    called = vector.func if isinstance(vector, ast.Call) else None
    if isinstance(vector, ast.BinOp) or getattr(called, "attr", getattr(called, "id", "")) in _NEW:
        return None
    return Rewrite(
        "torch_vector_to_parameters({vec}, {parameters})",
        differs=unless(
            "if the vector is used again: training changes it in torch, whose parameters are views"
            " of it, and not in {target}; torch's results then depend on that"
        ),
    )
