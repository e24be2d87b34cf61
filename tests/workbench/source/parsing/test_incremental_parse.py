"""A tree made from that of the text before is the tree of the text."""

from __future__ import annotations

import ast
from operator import is_

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from workbench.source.parsing.incremental import Known, reread
from workbench.source.parsing.read import FAILURES, read

# Lines that carry others on, open something, or end it: any few of them are a program or are not.
LINES = [
    "",
    "# note",
    "x = 1",
    "y = (",
    "1)",
    ")",
    "if a:",
    "    b = 2",
    "    c()",
    "else:",
    "elif d:",
    "try:",
    "except E:",
    "finally:",
    "def f(x):",
    '    """Doc."""',
    "    return x",
    "class C:",
    "    def g(self):",
    "        return 3",
    "@wraps",
    "@wraps(",
    "async def h():",
    "match m:",
    "    case 1:",
    "        pass",
    '"""',
    "'''",
    's = """',
    'z = "a',
    "w = 1 + \\",
    "2",
    "x = 1; y = 2",
    "v = [",
    "]",
    "import torch",
    "x = torch.relu(x",
    "\\",
    "\ta = 1",
    "\f",
    "d = {",
    "}",
    "for i in j:",
]
PROGRAMS = st.lists(st.sampled_from(LINES), min_size=1, max_size=9)
CLASS = ["a = 0", "class D(E,", "        F):", '    """It."""', "    one = 1"]


FUNCTION = ["def e(", "        k=1):", '    """It."""', "    one = 1"]


def inside(lines: list[str], around: str) -> list[str]:
    """Return a program with these lines in its classes and functions; `cf` is a method."""
    for kind in reversed(around):
        deeper = [line and f"    {line}" for line in lines]
        header = CLASS if kind == "c" else FUNCTION
        lines = [*header, *deeper, "    def last(self): pass", "b = 0"]
    return lines


def outcome(lines: list[str], known: Known | None) -> str | None:
    """Everything that a tree says, positions too; None for a text that does not parse."""
    try:
        return ast.dump(reread(lines, known), include_attributes=True)
    except FAILURES:
        return None


AROUND = st.sampled_from(["", "c", "f", "cf", "ff"])
EDITED = st.tuples(st.sampled_from(["", " ", "    ", "        ", "\t"]), st.sampled_from(LINES))


@settings(max_examples=400, deadline=None)
@given(PROGRAMS, AROUND, st.lists(EDITED, min_size=1, max_size=3), st.integers(0, 20))
@example(["@wraps", "def f(x):", "    return x"], "", [("", "x = 1")], 1)
@example(["if a:", "    b = 2", "", "x = 1"], "", [("", "else:")], 2)
@example(["def f(x):", "    return x", "x = 1"], "c", [("", "# note")], 5)
@example(["\\", "    x = 1"], "c", [("    ", "# note")], 5)
@example(["x = 1"], "c", [("    ", "else:")], 4)
@example(["x = 1"], "c", [("  ", "y = (")], 5)
def test_it_is_the_tree_of_the_whole(
    lines: list[str], around: str, new: list[tuple[str, str]], at: int
) -> None:
    lines = inside(lines, around)
    try:
        known = Known(lines, read("\n".join(lines)))
    except FAILURES:
        return
    at %= len(lines)
    written = [space + line for space, line in new][: len(lines) - at]
    edited = [*lines[:at], *written, *lines[at + len(written) :]]
    assert outcome(edited, known) == outcome(edited, None), edited


@settings(max_examples=400, deadline=None)
@given(
    PROGRAMS,
    AROUND,
    st.lists(EDITED, max_size=3),
    st.integers(0, 20),
    st.integers(0, 3),
)
@example(["x = 1; y = (", "1)", "z"], "", [("", "1)"), ("", "")], 1, 1)
@example(["if a:", "    b = 2", "# note", "x = 1"], "", [("", "else:"), ("    ", "c()")], 3, 0)
@example(["w = 1 + \\", "2", "x = 1"], "", [], 1, 1)
def test_it_is_the_tree_of_the_whole_where_lines_come_and_go(
    lines: list[str], around: str, new: list[tuple[str, str]], at: int, gone: int
) -> None:
    lines = inside(lines, around)
    try:
        known = Known(lines, read("\n".join(lines)))
    except FAILURES:
        return
    at %= len(lines)
    written = [space + line for space, line in new]
    edited = [*lines[:at], *written, *lines[at + gone :]]
    assert outcome(edited, known) == outcome(edited, None), edited


def test_statements_above_a_new_line_keep_their_nodes() -> None:
    lines = ["import torch", "", "def f(x):", "    return x", "", "y = f(1)"]
    known = Known(lines, read("\n".join(lines)))
    tree = reread([*lines[:5], "", *lines[5:]], known)
    assert all(map(is_, tree.body[:2], known.tree.body))
    assert tree.body[2].lineno == 7


def test_statements_below_a_new_line_move() -> None:
    lines = ["class C:", "    def f(self):", "        x = 1", "        return x", "y = f(1)"]
    known = Known(lines, read("\n".join(lines)))
    method, last = known.tree.body[0].body[0], known.tree.body[1]  # type: ignore[attr-defined]
    tree = reread([*lines[:3], "        ", "", *lines[3:]], known)
    assert all(map(is_, tree.body, known.tree.body)) and last.lineno == 7
    assert [one.lineno for one in method.body] == [3, 6] and method.end_lineno == 6


def test_a_failure_leaves_the_known_tree_where_it_was() -> None:
    lines = ["x = 1", "y = 2", "z = 3"]
    known = Known(lines, read("\n".join(lines)))
    with pytest.raises(SyntaxError):
        reread(["x = 1", "(", "y = 2", "z = 3"], known)
    assert [one.lineno for one in known.tree.body] == [1, 2, 3]


def test_statements_that_no_edit_touched_keep_their_nodes() -> None:
    lines = ["import torch", "", "def f(x):", "    return x", "", "y = f(1)"]
    known = Known(lines, read("\n".join(lines)))
    edited = [*lines[:3], "    return torch.relu(x)", *lines[4:]]
    tree = reread(edited, known)
    assert tree.body[0] is known.tree.body[0]
    assert tree.body[1] is not known.tree.body[1]
    assert tree.body[2] is known.tree.body[2]


def test_methods_that_no_edit_touched_keep_their_nodes() -> None:
    lines = ["class C:", "    def f(self):", "        return 1", "    def g(self):", "        pass"]
    known = Known(lines, read("\n".join(lines)))
    tree = reread([*lines[:2], "        return 2", *lines[3:]], known)
    old, new = known.tree.body[0], tree.body[0]
    assert isinstance(old, ast.ClassDef) and isinstance(new, ast.ClassDef)
    assert new is not old and new.body[0] is not old.body[0] and new.body[1] is old.body[1]


@pytest.mark.parametrize("line", ["    return torch.relu(", "  return x", "    x = 'a"])
def test_a_failure_is_at_its_line(line: str) -> None:
    lines = ["import torch", "", "def f(x):", "    y = 1", "    return x", "", "y = f(1)"]
    known = Known(lines, read("\n".join(lines)))
    with pytest.raises(SyntaxError) as found:
        reread([*lines[:4], line, *lines[5:]], known)
    assert found.value.lineno == 5
