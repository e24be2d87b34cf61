"""Random draws, with the keys of the program."""

from __future__ import annotations

from workbench.rules.difference import Difference
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.targets.jax.rules.creation import size_of
from workbench.targets.jax.writing import dtype_kind

rules = RuleSet()
_DRAWS = {"rand": "uniform", "randn": "normal"}


def _drawn(match: Match, method: str, shape: str) -> Outcome:
    for name in ("dtype", "generator", "out", "names", "memory_format"):
        if match.given(name):
            return Refusal(f"its argument `{name}` has no equivalent")
    return Rewrite(
        f"rngs.{method}({shape})",
        consumed=frozenset(match.arguments) - {"size", "input"},
        differs=(Difference.RANDOM_DRAWS,),
    )


for _name, _method in _DRAWS.items():

    @rules.rule(f"torch.{_name}")
    def draw(match: Match, method: str = _method) -> Outcome:
        """Draw floats of a size."""
        return _drawn(match, method, size_of(match))

    @rules.rule(f"torch.{_name}_like")
    def like(match: Match, method: str = _method) -> Outcome:
        """Draw floats of a tensor's size; another dtype than float32 is not known here."""
        if dtype_kind(match) not in {2, None}:
            return Refusal("only floats are drawn like this")
        return _drawn(match, method, "{input}.shape")
