"""Functions of einx, which takes arrays of JAX as well."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.upstream import einx

rules = RuleSet()
rules.keep(*einx.ENTRIES)
