"""Data types as values."""

from __future__ import annotations

import ast

from workbench.rules.difference import Difference
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.source.types import dtypes
from workbench.words import words

rules = RuleSet()
# The setting with which JAX computes in 64 bits by default.
ENABLED = 'jax.config.update("jax_enable_x64", True)'

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


@rules.rule("torch.set_default_dtype")
def default_dtype(match: Match) -> Outcome:
    """Turn on 64 bits for the whole program, which is the other default that JAX can have."""
    statement = match.use.statement
    alone = isinstance(statement, ast.Expr) and statement.value is match.use.node
    if dtypes.of_value(match.value("d")) != "float64" or not alone or statement.col_offset:
        return Refusal("only float64 is converted, for the whole program", ENABLED)
    return Rewrite(ENABLED, consumed=frozenset(match.arguments))


rules.row("torch.inf", "float('inf')")
rules.row("torch.nan", "float('nan')")
rules.row("torch.pi", "math.pi")
rules.row("torch.e", "math.e")
rules.row("torch.newaxis", "None")
