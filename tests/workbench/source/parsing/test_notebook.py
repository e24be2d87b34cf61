"""Cells as Python text: what becomes of IPython's own syntax, and that nothing else moves."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from IPython.core.inputtransformer2 import TransformerManager

from workbench.source.parsing.notebook import cell_text, join_cells
from workbench.source.parsing.parse import parse


@pytest.mark.parametrize(
    "source",
    [
        "x = 1\n",
        "",
        "s = '''\n%time x\n!ls\nwhat?\n'''\ny = (a\n     % b)\n",
        "y = a \\\n    % b\n",
        "x = 'a?'  # what?\n# %time x\n",
        "x != y\n",
        'f("""\n%%bash\n""")\n',
        "@decorator\ndef f(): ...\n",
        "await g()\n",
    ],
)
def test_python_stays_as_it_is(source: str) -> None:
    assert cell_text(source) == source
    assert parse(cell_text(source)).error is None


@pytest.mark.parametrize(
    ("source", "python"),
    [
        ("!ls 'it\nx = 1", "\nx = 1"),
        (
            "if a:\n    !ls\n    %cd b\nelse:\n    b?\n",
            "if a:\n    pass\n    pass\nelse:\n    pass\n",
        ),
        ("!ls \\\n  -l \\\n  c\nx = 1\n", "\n\n\nx = 1\n"),
        ("x?\ny.z??\n?w\n??v\n%pip install x\n/f x\n", "\n\n\n\n\n\n"),
        ("x = !ls\n", "x = None\n"),
        ("a, b = !ls | head -2\n", "a, b = None\n"),
        ("    d['k'] = !ls\n", "    d['k'] = None\n"),
        ("x = %store y\r\nz", "x = __unparsed__\r\nz"),
        ("%time y = f(x)\n", "0;    y = f(x)\n"),
        ("  %timeit -n 10 -r3 -q f(x)\n", "  0;                   f(x)\n"),
        ("%prun -l 5 -s cumulative model(x)", "0;                       model(x)"),
        ("y = %time f(x)", "y =       f(x)"),
        ("y = %timeit -o f(x)", "y = 0,         f(x)"),
        ("%time for i in x: f(i)\n", "\n"),
        ("%time\n%timeit -n 3\n", "\n\n"),
    ],
)
def test_a_line_of_ipython_becomes_python_that_binds_the_same_names(
    source: str, python: str
) -> None:
    assert cell_text(source) == python


@pytest.mark.parametrize("header", ["time", "timeit -n 3", "capture out", "prun", "convert --to x"])
def test_below_a_magic_that_runs_python_is_python(header: str) -> None:
    assert cell_text(f"\n%%{header}\nx = 1\n!ls\n") == "\n\nx = 1\n\n"


def test_one_such_magic_may_follow_another() -> None:
    assert cell_text("%%time\n%%capture\nx = 1\n") == "\n\nx = 1\n"
    assert cell_text("%%time\n%%bash\nls\n") == "\n\n\n"


@pytest.mark.parametrize(
    "header",
    ["bash", "sh", "html", "javascript", "writefile a.py", "latex", "cython", "nowhere", ""],
)
def test_below_any_other_magic_nothing_is(header: str) -> None:
    assert cell_text(f"%%{header}\nx = 1\n\nls\n") == "\n\n\n\n"


def test_a_cell_magic_counts_only_on_the_first_line() -> None:
    assert cell_text("x = 1\n%%bash\ny = 2\n") == "x = 1\n\ny = 2\n"


def test_cells_join_to_one_program() -> None:
    sources = ["%%time\nx = 1", "", "!ls\ny = x\n", "%%bash\nls\r\nls", "await y"]
    text, firsts = join_cells(sources)
    assert firsts == [0, 2, 3, 5, 8]
    parsed = parse(text)
    assert parsed.error is None
    assert [parsed.lines.line(first) for first in firsts] == ["", "", "", "", "await y"]


_LINES = st.sampled_from(
    [
        *("x = 1", "y = f(x)", "%time y = f(x)", "%timeit -n 3 f(x)", "!ls a", "a = !ls", "%cd b"),
        *(
            "x?",
            "if x:\n    %time z = 1",
            "s = '''\n!no\n'''",
            "f(a,\n  b)",
            "# c?",
            "y = %time g(x)",
        ),
    ]
)


@settings(max_examples=80, deadline=None)
@given(
    lines=st.lists(_LINES, max_size=8),
    header=st.sampled_from(["", "", "%%time\n", "%%capture\n", "\n\n"]),
    newline=st.sampled_from(["\n", "\r\n"]),
)
def test_syntax_that_ipython_accepts_parses_and_binds_the_same_names(
    lines: list[str], header: str, newline: str
) -> None:
    source = (header + "\n".join(lines) + "\n").replace("\n", newline)
    python = cell_text(source)
    assert python.count("\n") == source.count("\n")
    parsed = parse(python)
    assert parsed.error is None
    body = source.replace("\r", "").removeprefix(header if header.startswith("%") else "")
    theirs = ast.parse(TransformerManager().transform_cell(body))
    ours = stored(parsed.tree)
    assert stored(theirs) <= ours
    for node in ast.walk(parsed.tree):
        if isinstance(node, ast.Name) and node.lineno:
            there = source.split(newline)[node.lineno - 1][node.col_offset :]
            assert there.startswith(node.id)


def stored(tree: ast.Module) -> set[str]:
    """Return the names that a program binds."""
    return {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
