"""Signatures of torch names for which torch's own signatures are insufficient.

This is the case if torch has no type information, if its types are narrower than what it accepts,
or if one signature must cover several overloads.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from workbench.upstream.facts import Signature, parse_signature


@cache
def call_signatures(name: str) -> tuple[Signature, ...]:
    """Return the signatures of a qualified torch name; none if the facts are sufficient."""
    return tuple(map(parse_signature, _all_signatures().get(name, ())))


@cache
def _all_signatures() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for module in iter_modules(__path__, f"{__name__}."):
        found |= import_module(module.name).SIGNATURES
    return found
