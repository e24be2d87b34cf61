"""Source in torch that exercises torch's names: what a target writes for a name has to hold in it.

Each module has a part of the names in `CASES`, by their qualified names. A case may use what
`workbench.proof.cases.PRELUDE` defines; what the whole of it binds is compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import walk_packages


def cases_of(name: str) -> tuple[str, ...]:
    """The cases of a qualified torch name, none where it has none."""
    return _all_cases().get(name, ())


@cache
def _all_cases() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for module in walk_packages(__path__, f"{__name__}."):
        found |= getattr(import_module(module.name), "CASES", {})
    return found
