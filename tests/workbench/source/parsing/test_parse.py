"""Parsing texts of every kind: positions, strange characters, and words for what is wrong."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.positions import Position
from workbench.source.parsing.parse import Parsed, parse


def names_at(parsed: Parsed) -> list[tuple[str, str]]:
    """Return each name in the tree with the text at its location."""
    found = []
    for node in ast.walk(parsed.tree):
        if isinstance(node, ast.Name) and node.lineno - 1 not in parsed.masked:
            start = parsed.lines.offset_of_bytes(node.lineno - 1, node.col_offset)
            found.append((node.id, parsed.text[start : start + len(node.id)]))
    return found


def test_a_whole_text_has_no_mask() -> None:
    parsed = parse("import torch\nx = torch.ones(3)\n")
    assert parsed.error is None
    assert parsed.masked == frozenset()
    assert len(parsed.tree.body) == 2


def test_a_last_backslash_is_nothing_where_python_adds_a_line() -> None:
    text = "import torch\r\n \\\r\n"
    assert compile(text, "module", "exec")
    assert parse(text).error is None


def test_the_same_text_is_not_parsed_again() -> None:
    first = parse("x = 1\n")
    assert parse("x = 1\n", first) is first


@pytest.mark.parametrize(
    "text",
    [
        "a = b\nc = d\n",
        "a = b\r\nc = d\r\n",
        "a = b\rc = d\r",
        "a = b\r\nc = d\re = f\n",
        "\ufeffa = b\nc = d\n",
        "\ufeff\n\nif a:\n    b\n",
        "\fa = b\n\f\fc = d\n",
        "if a:\n\f    b\n    c\n",
        "a = 'é😀'; b = c\n",
        "s = '\u2028'; a = b\nc = d\n",
        "a = '''\r'''; b = c\rd",
        "\ufeffä = b; c = ä\n",
    ],
)
def test_every_name_is_where_its_node_says(text: str) -> None:
    parsed = parse(text)
    assert parsed.error is None
    found = names_at(parsed)
    assert len(found) >= 2
    assert all(name == there for name, there in found)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("x = 'a\0b'\ny = z\n", Position(0, 6)),
        ("x = 1\ny = '\udc80'\n", Position(1, 5)),
        ("\ufeffx = \0(\n", Position(0, 5)),
    ],
)
def test_a_character_that_python_refuses_is_named_in_its_place(text: str, place: Position) -> None:
    parsed = parse(text)
    assert parsed.error is not None
    assert parsed.error.position == place
    assert "no place in Python code" in parsed.error.message
    assert place.line in parsed.masked
    assert len(parsed.masked) == 1


@pytest.fixture
def stack() -> Iterator[None]:
    """Python's own limit, which other libraries raise."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000)
    yield
    sys.setrecursionlimit(limit)


@pytest.mark.parametrize(
    "text",
    [
        "-" * 20_000 + "x\n",
        "(" * 2_000,
        "x = a" + ".b" * 20_000,
        "x = 1" + " + 1" * 20_000,
        "[" * 2_000 + "]" * 2_000,
        "".join(" " * depth + "if x:\n" for depth in range(150)),
        "if x:\n    y\n" + "elif x:\n    y\n" * 4_000,
        "9" * 5_000,
    ],
)
def test_nesting_beyond_the_stack_is_an_error_and_the_rest_stays(text: str, stack: None) -> None:
    parsed = parse("before = here\n" + text + "\nafter = there\n")
    assert parsed.error is not None
    assert parsed.error.message
    assert parsed.error.position.line > 0
    assert ("here", "here") in names_at(parsed)


@pytest.mark.parametrize(
    ("text", "words", "place"),
    [
        ("x = foo(\n", "'(' was never closed", Position(0, 7)),
        ("for x in y\n    pass\n", "expected ':'", Position(0, 10)),
        ("def f(:\n    pass\n", "in this `def` at `:`", Position(0, 6)),
        ("def f():\n    return return\n", "invalid syntax at `return`", Position(1, 11)),
        ("x = 'abc\n", "unterminated string literal", Position(0, 4)),
        ("é = 1; ß = ]\n", "unmatched ']'", Position(0, 11)),
        ("'''\n'''; y = é b\n", "invalid syntax at `b`", Position(1, 11)),
        ("\ufeffx = y z\n", "invalid syntax at `z`", Position(0, 7)),
        ("def f():\n", "expected an indented block after function definition", None),
        ("x = 1 \\", "the text ends in the middle of a statement", Position(0, 7)),
    ],
)
def test_the_error_names_the_construct_and_its_place(
    text: str, words: str, place: Position | None
) -> None:
    error = parse(text).error
    assert error is not None
    assert words in error.message
    assert place is None or error.position == place


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("type Pair = tuple[int, int]\n", (3, 12)),
        ("def f[T](x: T) -> T:\n    return x\n", (3, 12)),
        ("class A[T]:\n    pass\n", (3, 12)),
        ("y = f'{x['a']}'\n", (3, 12)),
        ("y = t'{x}'\n", (3, 14)),
    ],
)
def test_syntax_of_a_newer_python_is_recognized(text: str, version: tuple[int, int]) -> None:
    error = parse("a = b\n" + text + "c = d\n").error
    if sys.version_info >= version:
        assert error is None
    else:
        assert error is not None
        assert f"needs Python {version[0]}.{version[1]}" in error.message


_PIECES = st.sampled_from(
    [
        *(
            "x",
            "def f(",
            "):",
            "\n",
            "\n    ",
            "\r",
            "\r\n",
            '"""',
            "'",
            "#",
            "\\",
            "\f",
            "\t",
            "(",
        ),
        *(
            "if x:",
            "else:",
            "try:",
            "@",
            "\0",
            "\ufeff",
            "\ud800",
            "é",
            "😀",
            "\u2028",
            "=",
            ".",
            "]",
        ),
        *(
            "match x:",
            "case 1:",
            "lambda",
            "f'{",
            "}",
            "class A:",
            "import y",
            "async ",
            ",",
            "\n  ",
        ),
    ]
)


@settings(max_examples=150, deadline=None)
@given(pieces=st.lists(st.lists(_PIECES, max_size=25), min_size=1, max_size=3))
def test_no_text_is_too_strange(pieces: list[list[str]]) -> None:
    parsed: Parsed | None = None
    for text in map("".join, pieces):
        parsed = parse(text, parsed)
        assert parsed.text == text
        assert parsed.masked <= set(range(len(parsed.lines)))
        assert bool(parsed.masked) <= (parsed.error is not None)
        if parsed.error:
            place = parsed.error.position
            assert place.line < len(parsed.lines)
            assert place.column <= len(parsed.lines.line(place.line))
        for node in ast.walk(parsed.tree):
            assert getattr(node, "lineno", 1) <= len(parsed.lines)
        if "\ud800" not in text:
            assert all(name == there for name, there in names_at(parsed))
