"""Handles that registering a hook returns."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()

rules.keep("torch.utils.hooks.RemovableHandle.remove")
