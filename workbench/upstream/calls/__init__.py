"""How names of torch are called, where its own signatures do not say it for one rule to bind.

That is where torch tells nothing, where its types are narrower than what it takes, and where one
signature stands for several overloads.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from workbench.upstream.facts import Signature, parse_signature


@cache
def call_signatures(name: str) -> tuple[Signature, ...]:
    """The signatures of a qualified torch name, none where those of the facts say it."""
    return tuple(map(parse_signature, _all_signatures().get(name, ())))


@cache
def _all_signatures() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for module in iter_modules(__path__, f"{__name__}."):
        found |= import_module(module.name).SIGNATURES
    return found
