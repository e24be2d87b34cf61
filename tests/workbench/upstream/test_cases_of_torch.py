"""The cases that rules of every target are proved with."""

from __future__ import annotations

import ast
from collections import Counter
from importlib import import_module
from pkgutil import walk_packages

from workbench.upstream import cases
from workbench.upstream.cases import cases_of
from workbench.upstream.cases.alike import alike
from workbench.upstream.facts import load

_MODULES = [import_module(one.name) for one in walk_packages(cases.__path__, f"{cases.__name__}.")]
_COUNTS = Counter(name for module in _MODULES for name in getattr(module, "CASES", ()))


def test_they_are_found_by_qualified_name() -> None:
    assert "torch.stack((x, y))" in cases_of("torch.stack")
    assert cases_of("torch.no_such_name") == ()


def test_each_name_is_one_of_torchs_and_occurs_once() -> None:
    assert [name for name in _COUNTS if not load().has(name)] == []
    assert [name for name, count in _COUNTS.items() if count > 1] == []


def test_each_is_python() -> None:
    for name in _COUNTS:
        assert cases_of(name), name
        for case in cases_of(name):
            ast.parse(case)


def test_names_that_are_called_alike_share_them() -> None:
    assert alike("torch", "abs Tensor.neg", "{owner}.{name}(x)", "y = '{name}'") == {
        "torch.abs": ("torch.abs(x)", "y = 'abs'"),
        "torch.Tensor.neg": ("Tensor.neg(x)", "y = 'neg'"),
    }
