"""Products that are written with operations that have a second derivative."""

from __future__ import annotations

from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite

forms = FormSet()


@forms.form("torch.dot", "torch.Tensor.dot", tried=True)
def dot(match: Match) -> Outcome | None:
    """Write a sum of products if gradients need gradients, which Paddle's dot lacks."""
    if not match.program.differentiates_twice or match.given("out"):
        return None
    first, second = ("input", "tensor") if "input" in match else ("self", "tensor")
    return Rewrite(f"({{{first}}} * {{{second}}}).sum()")
