"""Incremental parsing: only the statements that an edit touched are parsed again.

`ast.parse` takes about 4 µs a line, and a keystroke needs it several times while the text is
broken. Unchanged statements at the top level, and of classes and functions, keep their nodes. Trees
of one document thus share most of their nodes, which must not be modified.
"""

from __future__ import annotations

import ast
import re
from contextlib import suppress
from dataclasses import dataclass
from operator import is_
from typing import TYPE_CHECKING

from workbench.source.parsing.changed_lines import difference
from workbench.source.parsing.logical_lines import CLAUSES, is_blank, margin
from workbench.source.parsing.moved_lines import moved
from workbench.source.parsing.read import FAILURES, read
from workbench.source.parsing.spans import header_nodes, last_line, reach
from workbench.source.tree import Definition, with_body

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from workbench.source.parsing.changed_lines import Edit

_WORD = re.compile(r"\w+")
_DECORATED = ("def", "class", "async")
# Such a line gives its own indentation to the next one.
_LONE = "\\"


@dataclass(frozen=True, slots=True)
class Known:
    """Lines that parsed, and their tree."""

    lines: Sequence[str]
    tree: ast.Module


def reread(lines: Sequence[str], known: Known | None) -> ast.Module:
    """Return the tree of these lines, reusing what is unchanged from a known text.

    The result is that of `read` for the whole, and so are the exceptions, except for the wording of
    a message. If lines are added or removed, later nodes move, also in the known tree.
    """
    if known is None:
        return read("\n".join(lines))
    edit = difference(known.lines, lines)
    if edit.shift > 0:
        return _with_more(lines, known, edit)
    if edit.shift < 0:
        return _with_fewer(lines, known, edit)
    return _reread(lines, known, edit)


def _with_more(lines: Sequence[str], known: Known, edit: Edit) -> ast.Module:
    """Return the tree of a text with added lines: insert blank lines, then edit them."""
    at, old = edit.old_stop, known.lines
    if (at and old[at - 1].endswith("\\")) or not moved(known.tree, at, edit.shift):
        return _read_below(lines, known, edit)
    longer = [*old[:at], *[""] * edit.shift, *old[at:]]
    try:
        return _reread(lines, Known(longer, known.tree), difference(longer, lines))
    except BaseException:
        moved(known.tree, at + edit.shift, -edit.shift)
        raise


def _with_fewer(lines: Sequence[str], known: Known, edit: Edit) -> ast.Module:
    """Return the tree of a text with fewer lines: edits with blank ones, then removes these."""
    at, blank = edit.new_stop, -edit.shift
    longer = [*lines[:at], *[""] * blank, *lines[at:]]
    if at and lines[at - 1].endswith("\\"):
        return _read_below(lines, known, edit)
    try:
        tree = _reread(longer, known, difference(known.lines, longer))
    except FAILURES:
        return _read_below(lines, known, edit)
    return tree if moved(tree, at + blank, -blank) else _read_below(lines, known, edit)


def _reread(lines: Sequence[str], known: Known, edit: Edit) -> ast.Module:
    """Return the tree of a text with as many lines as before."""
    if edit.start == edit.new_stop:
        return known.tree
    body = known.tree.body
    first, last = _touched(body, known.lines, lines, edit)
    if last - first == 1 and isinstance(one := body[first], Definition):
        try:
            changed = _definition(one, known.lines, lines, edit)
        except _LargerError:
            pass
        else:
            return ast.Module([*body[:first], changed, *body[last:]], type_ignores=[])
    start = reach(body[first - 1])[1] + 1 if first else 0
    stop = _begin(body, last, len(lines))
    if _LONE in map(str.strip, lines[start:stop]):
        return read("\n".join(lines))
    part = "\n".join(lines[start:stop]) + ("\n" if last < len(body) else "")
    try:
        middle = read("\n" * start + part).body
    except SyntaxError as failure:
        if last < len(body) and _may_continue(part, "", failure):
            return read("\n".join(lines))
        raise
    middle = _as_known(middle, body[first:last])
    return ast.Module([*body[:first], *middle, *body[last:]], type_ignores=[])


def _read_below(lines: Sequence[str], known: Known, edit: Edit) -> ast.Module:
    """Return the tree of a text with more or fewer lines, and parse everything after the edit."""
    body = known.tree.body
    first = next((at for at, one in enumerate(body) if reach(one)[1] >= edit.start), len(body))
    while first and not _ends_above(first, body, lines, edit):
        first -= 1
    start = reach(body[first - 1])[1] + 1 if first else 0
    if _LONE in map(str.strip, lines[start:]):
        return read("\n".join(lines))
    below = read("\n" * start + "\n".join(lines[start:]))
    return ast.Module([*body[:first], *below.body], type_ignores=[])


def _ends_above(count: int, body: Sequence[ast.stmt], lines: Sequence[str], edit: Edit) -> bool:
    """Return whether the first `count` statements stay valid whatever the edit does after them."""
    end = reach(body[count - 1])[1]
    if _continue_statement(lines[end + 1 :], "") or any(
        one.endswith("\\") for one in lines[end : edit.start]
    ):
        return False
    return count == len(body) or reach(body[count])[0] > end


class _LargerError(Exception):
    """More than the edited statements of a definition must be parsed."""


def _definition(
    node: Definition, old: Sequence[str], lines: Sequence[str], edit: Edit
) -> Definition:
    """Return a class or function of which an edit touched some statements."""
    body = node.body
    top, end = reach(body[0])[0], reach(node)[1] + 1
    if top <= max(map(last_line, header_nodes(node)), default=0) or edit.start < top:
        raise _LargerError
    if top == node.lineno - 1 or edit.old_stop > end:
        raise _LargerError
    space = margin(old[top])
    first, last = _touched(body, old, lines, edit, space)
    if last - first == 1 and isinstance(one := body[first], Definition):
        with suppress(_LargerError):
            changed = _definition(one, old, lines, edit)
            kept = changed is one
            return node if kept else with_body(node, [*body[:first], changed, *body[last:]])
    start = reach(body[first - 1])[1] + 1 if first else top
    middle = _middle(lines, start, _begin(body, last, end), space)
    middle = _as_known(middle, body[first:last])
    if len(middle) == last - first and all(map(is_, middle, body[first:last])):
        return node
    changed_body = [*body[:first], *middle, *body[last:]]
    if not changed_body:
        raise _LargerError
    return with_body(node, changed_body)


def _middle(lines: Sequence[str], start: int, stop: int, space: str) -> list[ast.stmt]:
    """Return the statements in some lines of a body with indentation `space`."""
    part = lines[start:stop]
    if _LONE in map(str.strip, part):
        raise _LargerError
    code = next((line for line in part if not is_blank(line)), None)
    if code is None:
        return []
    if margin(code) != space:
        raise _LargerError
    text = "\n" * (start - 1) + "\n".join(["if 1:", *part, ""])
    try:
        frame = read(text).body
    except IndentationError:
        raise _LargerError from None  # a line may be as deep as the code around the definition
    except SyntaxError as failure:
        if _may_continue("\n".join(part), space, failure):
            raise _LargerError from None
        raise
    if len(frame) > 1 or not isinstance(frame[0], ast.If) or frame[0].orelse:
        raise _LargerError
    return frame[0].body


def _as_known(new: list[ast.stmt], old: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Return the newly parsed statements, or the known ones if they are equal."""
    try:
        same = len(new) == len(old) and all(map(_is_same, new, old))
    except RecursionError:
        return new
    return list(old) if same else new


def _is_same(one: object, other: object) -> bool:
    """Return whether two trees are equal, including positions."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list):
        assert isinstance(other, list)
        return len(one) == len(other) and all(map(_is_same, one, other))
    if isinstance(one, ast.AST):
        names = (*one._fields, *one._attributes)
        return all(_is_same(getattr(one, name), getattr(other, name)) for name in names)
    return repr(one) == repr(other)  # 0.0 differs from -0.0


def _touched(
    body: Sequence[ast.stmt],
    old: Sequence[str],
    lines: Sequence[str],
    edit: Edit,
    space: str = "",
) -> tuple[int, int]:
    """Return the range of statements of a body that an edit can affect."""
    start, stop = edit.start, edit.old_stop
    first = next((at for at, one in enumerate(body) if reach(one)[1] >= start), len(body))
    last = next((at for at in range(first, len(body)) if reach(body[at])[0] >= stop), len(body))
    above = reach(body[first - 1])[1] + 1 if first else 0
    if first and _continue_statement(lines[above : _begin(body, last, len(lines))], space):
        first -= 1
    while first and _joined(reach(body[first - 1])[1], _begin(body, first, stop), lines):
        first -= 1
    if last < len(body) and any(line.endswith("\\") for line in old[start:stop]):
        last += 1  # the start of a statement does not show a backslash before it
    while 0 < last < len(body) and _joined(reach(body[last - 1])[1], reach(body[last])[0], lines):
        last += 1
    return first, last


def _begin(body: Sequence[ast.stmt], at: int, end: int) -> int:
    return reach(body[at])[0] if at < len(body) else end


def _continue_statement(lines: Iterable[str], space: str) -> bool:
    """Return whether lines continue the statement above, as deeper ones and clauses do."""
    code = next((line for line in lines if not is_blank(line)), "").removeprefix(space)
    word = _WORD.match(code)
    return code[:1].isspace() or (word is not None and word[0] in CLAUSES)


def _joined(end: int, begin: int, lines: Sequence[str]) -> bool:
    """Return whether two parts on adjacent lines cannot be separated."""
    return begin <= end or any(line.endswith("\\") for line in lines[end:begin])


def _may_continue(part: str, space: str, failure: SyntaxError) -> bool:
    """Return whether the following lines could complete a part that does not parse alone.

    An open string may end below, a backslash joins the next line, and a decorator needs a
    definition. An open bracket stays open, since every bracket below has its partner.
    """
    if "triple-quoted" in failure.msg or "EOF" in failure.msg or "end of file" in failure.msg:
        return True
    code = [line.removeprefix(space) for line in part.split("\n")]
    decorators = [at for at, line in enumerate(code) if line.startswith("@")]
    defined = [at for at, line in enumerate(code) if line.startswith(_DECORATED)]
    return bool(decorators) and max(decorators) > max(defined, default=-1)
