"""Signatures to bind arguments to, where torch's own do not say how it is called."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from pkgutil import iter_modules

from workbench.upstream import calls
from workbench.upstream.calls import call_signatures
from workbench.upstream.facts import load

_MODULES = [import_module(one.name) for one in iter_modules(calls.__path__, f"{calls.__name__}.")]
_COUNTS = Counter(name for module in _MODULES for name in module.SIGNATURES)


def test_one_signature_covers_the_overloads() -> None:
    (found,) = call_signatures("torch.max")
    assert {"input", "dim", "other"} <= {one.name for one in found.parameters}
    assert call_signatures("torch.no_such_name") == ()


def test_each_name_is_one_of_torchs_and_occurs_once() -> None:
    assert [name for name in _COUNTS if not load().has(name)] == []
    assert [name for name, count in _COUNTS.items() if count > 1] == []


def test_each_says_something_that_the_facts_do_not() -> None:
    for name in _COUNTS:
        entry = load().get(name)
        assert entry is None or call_signatures(name) not in ((), entry.signatures), name
