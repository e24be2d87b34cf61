"""The modules of helper functions that converted files share."""

from __future__ import annotations

from collections.abc import Collection

from workbench.convert.imports import import_lines
from workbench.convert.placing import defined, helper_module
from workbench.targets import Target
from workbench.targets.helpers import Import


def known(text: str, target: Target) -> set[str]:
    """The target's helpers that a module has already."""
    return {name for name in defined(text) if name in target.helpers}


def module_of(names: Collection[str], target: Target) -> str:
    """The text of a module with these helpers, and those that they need."""
    helpers = target.helpers.closure(names)
    imports = {item for helper in helpers for item in helper.imports}
    imports.add(Import(target.module, "", target.module))
    return helper_module(import_lines(imports), [helper.source for helper in helpers])
