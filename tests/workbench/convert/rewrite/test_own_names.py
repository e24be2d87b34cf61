"""Names of a module's scope, renamed where they are bound and read."""

from __future__ import annotations

import pytest

from workbench.convert.rewrite.own_names import with_own_names

NAMES = {name: f"{name}_2" for name in ("net", "nn", "x", "input", "count", "Loader")}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("net = f(net=net).net", "net_2 = f(net=net_2).net"),
        ("import a.nn as nn, os", "import a.nn as nn_2, os"),
        ("from a import Loader, b", "from a import Loader as Loader_2, b"),
        ("def f(x, y=x):\n    return x", "def f(x, y=x_2):\n    return x"),
        ("def f():\n    global count\n    count = x",
         "def f():\n    global count_2\n    count_2 = x_2"),
        ("class net(nn.A):\n    x = 1\n    def f(self):\n        return x",
         "class net_2(nn_2.A):\n    x = 1\n    def f(self):\n        return x_2"),
        ('print(f"{x:{x}} {net.x!r}")', 'print(f"{x_2:{x_2}} {net_2.x!r}")'),
        ("[x for x in x]", "[x for x in x_2]"),
        ("for x in y:\n    x += 1", "for x_2 in y:\n    x_2 += 1"),
        ("with a as x:\n    (x := 1)", "with a as x_2:\n    (x_2 := 1)"),
        ("y = input + 1", "y = input_2 + 1"),
        ("def f():\n    import nn\n    return nn", "def f():\n    import nn\n    return nn"),
    ],
)  # fmt: skip
def test_names_of_the_module_are_renamed(code: str, expected: str) -> None:
    assert with_own_names(code, NAMES) == expected
