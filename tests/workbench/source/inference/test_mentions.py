"""Parts of a program with the facts of the code around them."""

from __future__ import annotations

import ast

import pytest

from workbench.source.inference.rewalk.mentions import mentioned


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("def f(x):\n    y = x\n    return y", {"f"}),
        ("def f(x=y): pass", {"f", "y"}),
        ("def f():\n    global x\n    x = 1", {"f", "x"}),
        ("def f():\n    x = 1\n    def g():\n        return x + z", {"f", "g", "z"}),
        ("def f():\n    def g():\n        x = 1\n    return x", {"f", "g", "x"}),
        ("def f(y):\n    [x for x in y]\n    return x", {"f", "x"}),
        ("f = lambda x: x + y", {"f", "y"}),
        ("class C(B):\n    x = y", {"C", "B", "x", "y"}),
        ("import torch.nn as n, os.path", {"n", "os"}),
        ("from torch import *", {"*"}),
        ("try:\n    pass\nexcept E as e:\n    pass", {"E", "e"}),
        ("match a:\n    case [b, *c]:\n        pass", {"a", "b", "c"}),
        ("@wraps(g)\ndef f(x: T) -> R: pass", {"wraps", "g", "f", "T", "R"}),
    ],
)
def test_names_that_are_no_functions_own(text: str, names: set[str]) -> None:
    assert mentioned(ast.parse(text).body[0]).names == names


def test_what_may_name_an_attribute() -> None:
    found = mentioned(ast.parse("f(a.b.c, getattr(d, 'e'), g=1)").body[0])
    assert found.attributes == {"b", "c", "e", "g"}
