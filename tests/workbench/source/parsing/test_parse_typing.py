"""Parsing while a file is typed: real files, keystroke by keystroke, and random edits of them.

Every statement on a line that is neither edited nor masked must stay in the tree as it was.
"""

from __future__ import annotations

import ast
import importlib.util
import random
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.source.parsing.changed_lines import Edit, difference
from workbench.source.parsing.parse import Parsed, parse
from workbench.source.parsing.repair import PLACEHOLDER, header_alone
from workbench.source.parsing.spans import statement_lines

_SUITES = ("body", "orelse", "finalbody", "handlers", "cases")


@dataclass(frozen=True, repr=False)
class Document:
    """A text that parses, and its statements by place."""

    lines: list[str]
    statements: dict[tuple[int, int], str]

    @property
    def parsed(self) -> Parsed:
        """As it parses; an edit uses that up."""
        return parse("\n".join(self.lines))


def statements(tree: ast.Module) -> dict[tuple[int, int], str]:
    """Return each statement, without those in its suites, by 0-based line and column."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            own = [
                ast.dump(part)
                for name, value in ast.iter_fields(node)
                if name not in _SUITES
                for part in (value if isinstance(value, list) else [value])
                if isinstance(part, ast.AST)
            ]
            found[node.lineno - 1, node.col_offset] = f"{type(node).__name__} {own}"
    return found


@cache
def document(module: str, first: str, last: str) -> Document:
    """Return a stretch of an installed module's file, from one line that begins so to another."""
    package, _, rest = module.partition(".")
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    path = Path(spec.origin)
    if rest:
        path = path.parent.joinpath(*rest.split(".")).with_suffix(".py")
    text = path.read_text(encoding="utf-8")
    start = text.index("\n" + first) + 1
    lines = text[start : text.index("\n" + last, start) + 1].split("\n")
    parsed = parse("\n".join(lines))
    assert parsed.error is None
    return Document(lines, statements(parsed.tree))


def documents() -> list[Document]:
    return [
        document("argparse", "class HelpFormatter", "class RawDescriptionHelpFormatter"),
        document("dataclasses", "def _field_assign", "def _process_class"),
        document("torch.nn.functional", "def fractional_max_pool2d_with_indices", "def max_pool1d"),
        document("torch.nn.functional", "def gumbel_softmax", "def tanh"),
    ]


def touched_by(before: Document, edit: Edit) -> set[int]:
    """Return the lines of the statements and headers that an edit touches."""
    touched = set(range(edit.start, max(edit.old_stop, edit.start + 1)))
    for first, last in list(statement_lines(before.parsed.tree, touched)):
        touched |= set(range(first, last + 1))
    return touched


def assert_rest_stays(before: Document, lines: list[str], parsed: Parsed) -> None:
    """Every statement that is neither edited nor masked is there, in its new place."""
    if parsed.error is None:
        return  # the tree is that of the text, whatever the edit made of it
    edit = difference(before.lines, lines)
    now = statements(parsed.tree)
    edited = touched_by(before, edit)
    for (line, column), statement in before.statements.items():
        if line in edited:
            continue
        moved = line if line < edit.start else line + edit.shift
        if moved not in parsed.masked:
            assert now.get((moved, column)) == statement, parsed.text.split("\n")[moved]


def masked_beyond(before: Document, lines: list[str], parsed: Parsed) -> int:
    """How many statements and headers that the edit did not touch begin on masked lines."""
    edit = difference(before.lines, lines)
    touched = touched_by(before, edit)
    others = {line for line, _ in before.statements} - touched
    return len(
        parsed.masked & {line if line < edit.start else line + edit.shift for line in others}
    )


@pytest.mark.one_in(4)
@pytest.mark.parametrize("which", range(4))
def test_retyping_a_line_key_by_key_leaves_the_others_alone(which: int) -> None:
    before = documents()[which]
    code = [n for n, line in enumerate(before.lines) if re.match(r"\s*\w.*[(=:]", line)]
    for number in code[:: max(1, len(code) // 3)]:
        line = before.lines[number]
        begin = len(line) - len(line.lstrip())
        parsed = before.parsed
        for end in range(begin, len(line) + 1):
            lines = [*before.lines[:number], line[:end], *before.lines[number + 1 :]]
            parsed = parse("\n".join(lines), parsed)
            assert_rest_stays(before, lines, parsed)
            # Without its header a suite is at the wrong depth, and an `else` belongs to nothing.
            assert masked_beyond(before, lines, parsed) <= 2
        assert parsed.error is None


_TYPED = st.sampled_from(
    [
        *(
            "(",
            ")",
            "[",
            "]",
            "{",
            '"',
            "'",
            '"""',
            ".",
            ",",
            ":",
            "=",
            "\\",
            "x",
            " ",
            "\n",
            "\n    ",
        ),
        *("def f(", "if x", "else:", "try:", "return ", "@", "import ", "lambda", "f'{", "#", "$"),
    ]
)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_one_edit_leaves_the_others_alone(data: st.DataObject) -> None:
    before = data.draw(st.sampled_from(documents()))
    text = before.parsed.text
    at = data.draw(st.integers(0, len(text)))
    gone = data.draw(st.sampled_from([0, 0, 0, 1, 3, 20, 200]))
    changed = text[:at] + data.draw(_TYPED) + text[at + gone :]
    lines = changed.split("\n")
    parsed = parse(changed, before.parsed)
    assert_rest_stays(before, lines, parsed)


def test_hardly_a_key_masks_more_than_its_own_statement() -> None:
    rng = random.Random(1)
    masked = []
    for _ in range(100):
        before = rng.choice(documents())
        number = rng.choice([number for number, line in enumerate(before.lines) if line])
        line = before.lines[number]
        at = rng.randrange(len(line))
        key = line[:at] + rng.choice("()[]{}'\".,:=\\x #$@") + line[at:]
        lines = [*before.lines[:number], key, *before.lines[number + 1 :]]
        masked.append(masked_beyond(before, lines, parse("\n".join(lines))))
    assert sum(count > 0 for count in masked) <= 10
    assert max(masked) <= 10


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_edits_in_many_places_stay_apart(data: st.DataObject) -> None:
    before = data.draw(st.sampled_from(documents()))
    parsed, text = before.parsed, before.parsed.text
    for _ in range(8):
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(_TYPED) + text[at:]
        parsed = parse(text, parsed)
        assert parsed.text == text
        assert (parsed.error is None) == (parsed.masked == frozenset())
    restored = parse(before.parsed.text, parsed)
    assert restored.error is None
    assert restored.masked == frozenset()


_PROGRAM = "import torch\n\ndef f(x):\n    y = torch.relu(x)\n    return y\n\nz = f(1)\nw = z\n"


def typed(old: str, new: str, parsed: Parsed) -> Parsed:
    assert old in parsed.text
    return parse(parsed.text.replace(old, new, 1), parsed)


def test_a_value_being_typed_keeps_its_name() -> None:
    parsed = typed("relu(x)", "relu(", parse(_PROGRAM))
    assert parsed.masked == {3}
    definition = parsed.tree.body[1]
    assert isinstance(definition, ast.FunctionDef)
    assert ast.unparse(definition.body[0]) in {"y = torch.relu()", f"y = torch.relu({PLACEHOLDER})"}


def test_an_argument_typed_in_the_middle_is_completed_there() -> None:
    parsed = typed(
        "relu(x, 1)", "relu(x.foo(, 1)", parse(_PROGRAM.replace("relu(x)", "relu(x, 1)"))
    )
    assert parsed.masked == {3}
    assert "torch.relu(x.foo(), 1)" in ast.unparse(parsed.tree)


def test_a_line_beyond_repair_costs_only_itself() -> None:
    parsed = typed("relu(x)", "relu(x) $ ?", parse(_PROGRAM))
    assert parsed.masked == {3}
    definition = parsed.tree.body[1]
    assert isinstance(definition, ast.FunctionDef)
    assert ast.unparse(definition.body[-1]) == "return y"


@pytest.mark.parametrize(
    "statements",
    [
        "a = 1; b = (\n    2)\n",
        "a = 1; \\\n  b = 2\n",
        "@one\n# Why.\n@two\ndef f(): return 1\n",
        "if a: b = 1; c = (\n2)\nelse:\n  pass\n",
        '"""a\n  b"""; c = """\n"""\n',
    ],
)
def test_the_first_break_of_a_text_is_mended_as_if_nothing_was_known(statements: str) -> None:
    before = f"x = 1\n\n{statements}y = 2\n{statements}"
    for broken in ("x =", "x = (", "x = '", "if x"):
        text = before.replace("x = 1", broken, 1)
        known, fresh = parse(text, parse(before)), parse(text)
        assert known.error is not None
        assert known.source == fresh.source
        assert known.masked == fresh.masked
        assert ast.dump(known.tree) == ast.dump(fresh.tree)


def test_a_triple_quote_being_typed_costs_its_line() -> None:
    parsed = typed("    y =", '    """\n    y =', parse(_PROGRAM))
    assert parsed.masked == {3}
    definition = parsed.tree.body[1]
    assert isinstance(definition, ast.FunctionDef)
    assert ast.unparse(definition.body[-2]) == "y = torch.relu(x)"
    assert ast.unparse(parsed.tree.body[-1]) == "w = z"


def test_a_mask_moves_with_the_lines_above_it_and_ends_when_its_line_parses() -> None:
    parsed = typed("z = f(1)", "z = f(1", parse(_PROGRAM))
    assert parsed.masked == {6}
    parsed = typed("import torch\n", "import torch\nimport math\nimport re\n", parsed)
    assert parsed.masked == {8}
    parsed = typed("relu(x)", "relu(x", parsed)
    assert parsed.masked == {5, 8}
    parsed = typed("z = f(1", "z = f(1)", parsed)
    assert parsed.masked == {5}
    parsed = typed("relu(x", "relu(x)", parsed)
    assert parsed.masked == frozenset()


def test_a_pasted_block_with_an_error_keeps_its_other_lines() -> None:
    pasted = "def g(a):\n    b = a.\n    c = a\n    return c\n\ndef h(a):\n    return a\n\n"
    parsed = typed("def f(x)", pasted + "def f(x)", parse(_PROGRAM))
    assert parsed.masked == {3}
    names = [node.name for node in parsed.tree.body if isinstance(node, ast.FunctionDef)]
    assert names == ["g", "h", "f"]


HEADERS = """\
import torch


{}class Net(torch.nn.Module):
    size = 3

{}    def forward(self, x):
        return x
"""


@pytest.mark.parametrize(
    "typed", ["x", "x = ", "x = torch.relu(", "x = torch.relu(x)", "import y "]
)
@pytest.mark.parametrize("place", [0, 1], ids=["class", "method"])
def test_text_typed_before_a_header_keeps_the_definition(typed: str, place: int) -> None:
    whole = parse(HEADERS.format("", ""))
    half = parse(HEADERS.format(*(typed if one == place else "" for one in range(2))), whole)
    assert half.error is not None
    assert half.masked == {(3, 6)[place]}
    assert ast.dump(half.tree) == ast.dump(whole.tree)


@pytest.mark.parametrize(
    "line",
    [
        "from baseclass import (",
        "with myclass as (a):",
        "return subclass if (x) else (y)",
        "# no class A(B):",
        "name = 'a class A(B):'",
        "async def f(x):",
    ],
)
def test_other_lines_hold_no_header(line: str) -> None:
    assert header_alone(line) is None
