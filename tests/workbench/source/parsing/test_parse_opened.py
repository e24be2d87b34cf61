"""Files that are broken already when they are opened: no history, only their own structure."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from workbench.source.parsing.parse import Parsed, parse
from workbench.source.parsing.repair import PLACEHOLDER


def kept(parsed: Parsed) -> set[str]:
    """Return the names that the tree reads or binds on lines that count."""
    return {
        node.id
        for node in ast.walk(parsed.tree)
        if isinstance(node, ast.Name) and node.lineno - 1 not in parsed.masked
    }


def functions(parsed: Parsed) -> list[str]:
    return [node.name for node in ast.walk(parsed.tree) if isinstance(node, ast.FunctionDef)]


@pytest.mark.parametrize(
    ("broken", "masked"),
    [
        ("    y = foo(", {2}),
        ("    y = foo(1, [2, {3: ", {2}),
        ("    y = 'abc", {2}),
        ("    y = x.", {2}),
        ("    y =", {2}),
        ("    y = )", {2}),
        ("    foo bar baz", {2}),
        ("    print 'hello'", {2}),
        ("    from torch import", {2}),
        ("    with a as", {2}),
        ("    @", {2}),
        ("    for i in", {2}),
        ("    if x", {2}),
        ("    try:", {2}),
        ("    else:", {2}),
        ("    except A:", {2}),
        ("$$", {2}),
        ("= 3", {2}),
        ("            y = 3", {2}),
        ("  y = 3", {2}),
        ("    y = foo(\n        a,\n        b c,\n    )", {2, 3, 4, 5}),
        ("    '''", {2}),
        ('    y = 1 """', {2}),
    ],
)
def test_one_broken_line_costs_only_itself(broken: str, masked: set[int]) -> None:
    text = f"def f(x):\n    before = x\n{broken}\n    after = x\n    return after\n\nlast = f(1)\n"
    parsed = parse(text)
    assert parsed.error is not None
    assert parsed.masked == masked
    assert {"before", "after", "x", "last", "f"} <= kept(parsed)
    assert functions(parsed) == ["f"]


def test_each_of_many_errors_costs_its_own_line() -> None:
    text = "".join(f"def f{n}(x):\n    print x\n    return g{n}(x)\n\n" for n in range(60))
    parsed = parse(text)
    assert parsed.masked == {4 * n + 1 for n in range(60)}
    assert {f"g{n}" for n in range(60)} <= kept(parsed)


@pytest.mark.parametrize(
    ("header", "name"),
    [("def g(x", "g"), ("def g", "g"), ("async def g(x) ->", "g"), ("class g(Base", "g")],
)
def test_a_half_typed_header_keeps_its_name_and_its_suite(header: str, name: str) -> None:
    parsed = parse(f"a = b\n{header}\n    inner = a\nc = d\n")
    assert parsed.masked == {1}
    definition = parsed.tree.body[1]
    assert isinstance(definition, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    assert definition.name == name
    assert {"a", "inner", "c", "d"} <= kept(parsed)


def test_an_unfinished_assignment_binds_its_name_to_nothing_known() -> None:
    parsed = parse("y = \nz = y\n")
    statement = parsed.tree.body[0]
    assert isinstance(statement, ast.Assign)
    assert ast.unparse(statement) == f"y = {PLACEHOLDER}"


def test_an_open_bracket_does_not_swallow_what_follows() -> None:
    text = dedent("""\
        class A:
            def f(self):
                y = foo(1, [2,
                z = y
                return z

            def g(self):
                return here
        """)
    parsed = parse(text)
    assert parsed.masked == {2}
    assert functions(parsed) == ["f", "g"]


_STRINGS = dedent('''\
    """The module's own words, which are not code."""
    import torch

    def first(x):
        """Give back the first of them all.

        And some more prose that is no code.
        """
        return torch.relu(x)

    def second(y):
        """Another one of those that read like prose."""
        return torch.tanh(y)

    def third(z):
        """This is the third of the functions here.

        Args:
            z: whatever it is that comes in
        """
        return torch.sigmoid(z)
    ''')


@pytest.mark.parametrize("number", range(len(_STRINGS.splitlines())))
def test_a_stray_triple_quote_costs_only_its_surroundings(number: int) -> None:
    lines = _STRINGS.splitlines()
    stray = [*lines[:number], '    """', *lines[number:]]
    parsed = parse("\n".join(stray))
    lost = {name for name in ("first", "second", "third") if name not in functions(parsed)}
    assert parsed.error is not None
    assert len(lost) <= 1
    assert len(parsed.masked) <= 8


@pytest.mark.parametrize(
    "number", [number for number, line in enumerate(_STRINGS.splitlines()) if '"""' in line]
)
def test_a_lost_triple_quote_costs_only_its_string(number: int) -> None:
    lines = _STRINGS.splitlines()
    lines[number] = lines[number].replace('"""', "", 1)
    parsed = parse("\n".join(lines))
    assert parsed.error is not None
    assert functions(parsed) == ["first", "second", "third"]
    assert len(parsed.masked) <= 6


def test_match_survives_a_broken_case() -> None:
    text = "match x:\n    case [a, b:\n        y = a\n    case 2:\n        z = w\nlast = x\n"
    parsed = parse(text)
    assert parsed.masked == {1}
    assert {"y", "z", "w", "last"} <= kept(parsed)


def test_a_try_without_except_keeps_its_suite() -> None:
    parsed = parse("try:\n    y = x\nz = y\n")
    assert parsed.masked == {0}
    assert {"x", "y", "z"} <= kept(parsed)


def test_a_file_that_is_no_python_at_all_has_a_tree_with_nothing_in_it() -> None:
    text = "<html>\n  <body class='x'>\n    It's not; Python {{ at all\n  </body>\n</html>\n"
    parsed = parse(text)
    assert parsed.error is not None
    assert kept(parsed) == set()
