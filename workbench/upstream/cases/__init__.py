"""Torch code that uses torch's names, for which a target's conversions must hold.

Each module has a part of the names in `CASES`, by their qualified names. A case may use the names
in `workbench.proof.cases.PRELUDE`. All values that it binds are compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import walk_packages


def cases_of(name: str) -> tuple[str, ...]:
    """Return the cases of a qualified torch name, if any."""
    return _all_cases().get(name, ())


@cache
def _all_cases() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for module in walk_packages(__path__, f"{__name__}."):
        found |= getattr(import_module(module.name), "CASES", {})
    return found
