"""Variables that are read after a statement."""

from __future__ import annotations

import ast
import textwrap

import pytest

from workbench.source.liveness import Liveness


def _read_after(text: str, name: str) -> bool:
    """Return whether a variable is read after the statement `mark()`."""
    tree = ast.parse(textwrap.dedent(text))
    marked = next(
        one for one in ast.walk(tree) if isinstance(one, ast.Expr) and ast.unparse(one) == "mark()"
    )
    return Liveness(tree.body).reads(marked, name)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("mark()\nprint(x)\n", True),
        ("mark()\nx = 1\nprint(x)\n", False),
        ("print(x)\nmark()\n", False),
        ("for i in n:\n    print(x)\n    mark()\n", True),
        ("for i in n:\n    x = i\n    print(x)\n    mark()\n", False),
        ("for i in n:\n    mark()\n    if i:\n        break\n    x = 1\nprint(x)\n", True),
        ("while n:\n    print(x)\n    mark()\n    if n:\n        continue\n    x = 1\n", True),
        ("try:\n    mark()\n    x = 1\nexcept ValueError:\n    print(x)\n", True),
        ("if n:\n    mark()\nelse:\n    print(x)\n", False),
        ("mark()\ny = [x for x in n]\n", True),
        ("mark()\nx = [1 for x in n]\nprint(x)\n", False),
        ("def f():\n    return x\n\nmark()\nx = 1\n", True),
        ("mark()\nx += 1\n", True),
        ("with n as x:\n    mark()\n    print(x)\n", True),
        ("match n:\n    case 1:\n        mark()\n    case 2:\n        print(x)\n", False),
    ],
)
def test_reads_on_all_ways_from_a_statement(text: str, read: bool) -> None:
    assert _read_after(text, "x") is read
