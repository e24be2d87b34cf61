"""Data types as values."""

from __future__ import annotations

from workbench.rules.difference import Difference
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.rules.rule import RuleSet
from workbench.words import words

rules = RuleSet()

for _name in words("uint8 int8 int16 int32 float16 bfloat16 float32 complex64"):
    rules.row(f"torch.{_name}", f"jnp.{_name}")
rules.row("torch.bool", "bool")


@rules.rule("torch.int64")
def int64(match: Match) -> Outcome:
    """Write the whole numbers of 32 bits that JAX has by default."""
    return Rewrite("jnp.int32", differs=(Difference.NARROW,))


# JAX has them where a program asks for them, if a setting allows that.
for _name in ("float64", "complex128"):
    rules.row(f"torch.{_name}", f"jnp.{_name}")
rules.row("torch.inf", "float('inf')")
rules.row("torch.nan", "float('nan')")
rules.row("torch.pi", "math.pi")
rules.row("torch.e", "math.e")
rules.row("torch.newaxis", "None")
