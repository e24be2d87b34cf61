"""Data types as values."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()

_SAME = (
    "uint8",
    "int8",
    "int16",
    "int32",
    "float16",
    "bfloat16",
    "float32",
    "complex64",
)
for _name in _SAME:
    rules.row(f"torch.{_name}", f"jnp.{_name}")
rules.row("torch.bool", "bool")
rules.row("torch.int64", "jnp.int32")
rules.refuse(
    "torch.float64",
    "torch.complex128",
    reason="JAX computes in 32 bits unless a program turns on jax_enable_x64",
    instead="jnp.float32",
)
rules.row("torch.inf", "float('inf')")
rules.row("torch.nan", "float('nan')")
rules.row("torch.pi", "math.pi")
rules.row("torch.e", "math.e")
rules.row("torch.newaxis", "None")
