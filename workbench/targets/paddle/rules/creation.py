"""Making tensors from data."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.rules.rule import RuleSet

rules = RuleSet()


@rules.rule(
    "torch.tensor",
    cases=[
        "torch.tensor([1, 2, 3])",
        "torch.tensor(2.5, dtype=torch.float64)",
        "torch.tensor([1.0, 2.0], requires_grad=True)",
    ],
)
def tensor(match: Match) -> Outcome:
    """Paddle infers the same dtypes from Python data; gradients are said the other way round."""
    grad = match.constant("requires_grad", False)
    stop = {True: "False", False: "True"}.get(grad)
    if stop is None:
        return Rewrite("paddle.to_tensor({data}, dtype={dtype}, stop_gradient=not {requires_grad})")
    shown = ", stop_gradient=False" if grad else ""
    return Rewrite(
        "paddle.to_tensor({data}, dtype={dtype}" + shown + ")",
        consumed=frozenset({"requires_grad"}),
    )
