"""Rewrites of uses that change only names and whole arguments, applied to the text.

Most do: `torch.cat(xs, dim=1)` becomes `paddle.concat(xs, axis=1)`, `x.split(2)` becomes
`torch_split(x, 2)`. If a whole expression does, it need not be parsed a second time.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from workbench.convert.decide.planner import Plan
from workbench.rules.outcome import Rewrite
from workbench.rules.template import Template, compile_template, placeholder_at
from workbench.source.tree import inside
from workbench.source.uses import UseKind

# Positions of `ast` count bytes, and lines that end as in a file; within f-strings they are wrong
# before Python 3.12.
_UNSURE = re.compile(r"[^\t\n\r -\x7f]")
_F_STRING = re.compile(r"""[fF][rR]?["']|[rR][fF]["']""")
_CONSTANTS = frozenset({"True", "False", "None"})
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_MEMBER = re.compile(r"\{self\}(\.[A-Za-z_]\w*)")
_KINDS = frozenset(UseKind) - {
    UseKind.AUGMENTED,
    UseKind.OPERATOR,
    UseKind.PARTIAL,
    UseKind.UNBOUND,
}
# Calls whose name stays: of a variable, a layer, a base class's method.
_STAYS = frozenset({UseKind.INDIRECT, UseKind.LAYER, UseKind.SUPER})
# Arguments that are several, or have their own brackets.
_BARE = (ast.Starred, ast.NamedExpr, ast.GeneratorExp)
_LAST = sys.maxsize  # after all given arguments


# Text before an argument if all arguments are on one line, the most common layout.
_FIRST = re.compile(r"(?:\w+=)?")
_NEXT = re.compile(r", (?:\w+=)?")


class _NotOnlyNames(Exception):  # noqa: N818
    """More than names and whole arguments changes."""


def renamed(code: str, root: ast.expr, plans: Iterable[Plan]) -> str | None:
    """Return the new code of an expression whose text this is, or None if more changes."""
    plans = list(plans)
    if any(one.numbers for one in plans):
        return None
    if _UNSURE.search(code) or (_F_STRING.search(code) and _in_f_string(root, plans)):
        return None
    text = _Text(code, root)
    try:
        edits = sorted(edit for one in plans for edit in _names(text, one))
    except _NotOnlyNames:
        return None
    done, pieces = 0, []
    inserted = -1
    for start, end, name in edits:
        if start < done or start == inserted:
            return None
        pieces += [code[done:start], name]
        done = end
        inserted = start if start == end else -1
    return "".join([*pieces, code[done:]])


def _in_f_string(root: ast.expr, plans: list[Plan]) -> bool:
    uses = {id(one.use.node) for one in plans}
    strings = (one for one in inside(root) if isinstance(one, ast.JoinedStr))
    return any(id(part) in uses for one in strings for part in inside(one))


class _Text:
    """The text of an expression, by the positions of its nodes."""

    def __init__(self, code: str, root: ast.expr) -> None:
        self.code = code
        self._first = root.lineno
        self._starts = [-root.col_offset]
        for line in code.splitlines(keepends=True)[:-1] if "\n" in code or "\r" in code else ():
            self._starts.append(max(self._starts[-1], 0) + len(line))

    def start(self, node: ast.expr | ast.keyword) -> int:
        return self._starts[node.lineno - self._first] + node.col_offset

    def end(self, node: ast.expr) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._starts[node.end_lineno - self._first] + node.end_col_offset


_Edit = tuple[int, int, str]


def _names(text: _Text, planned: Plan) -> Iterator[_Edit]:
    """Yield the edits of one use.

    Raises:
        _NotOnlyNames: more than names and whole arguments changes.
    """
    outcome, use = planned.outcome, planned.use
    assert isinstance(outcome, Rewrite)
    node = use.node
    if use.kind is UseKind.OPERATOR and isinstance(node, ast.Subscript) and outcome.callee_only:
        yield from _wrapping(text, node.value, compile_template(outcome.template))
        return
    more = outcome.around is not None or outcome.wrapped is not None
    if more or use.kind not in _KINDS or not isinstance(node, ast.expr):
        raise _NotOnlyNames
    if outcome.template == "False" and "if" in text.code:
        raise _NotOnlyNames  # one of two alternatives may be removed
    template = compile_template(outcome.template)
    call = use.call
    if template.text in _CONSTANTS and "#" not in text.code:
        yield text.start(node), text.end(node), template.text
    elif call is None:
        yield _callee(text, planned, node, template.text)
    elif outcome.callee_only:
        if use.kind is not UseKind.SUPER:
            yield _callee(text, planned, call.func, template.text)
    elif template.is_call:
        if template.passes_on:
            if template.text != f"{template.callee}(...)":
                raise _NotOnlyNames
        elif not _is_spliced(template.expression, planned, call):
            try:
                yield from list(_keywords(text, planned, call, template))
            except _NotOnlyNames:
                yield from _arguments(text, planned, call, template)
                return
        if use.kind not in _STAYS:
            yield _callee(text, planned, call.func, template.callee)
    else:
        raise _NotOnlyNames


def _callee(text: _Text, planned: Plan, node: ast.expr, new: str) -> _Edit:
    """Replace a dotted name by another, or a member's name by another's."""
    start, end = text.start(node), text.end(node)
    receiver = planned.use.receiver
    if receiver is None:
        if _DOTTED.fullmatch(new) and _DOTTED.fullmatch(text.code, start, end):
            return start, end, new
    elif (member := _MEMBER.fullmatch(new)) and isinstance(node, ast.Attribute):
        start = text.end(node.value)
        if node.value is receiver and text.code[start:end] == f".{node.attr}":
            return start, end, member[1]
    raise _NotOnlyNames


def _keywords(text: _Text, planned: Plan, call: ast.Call, template: Template) -> Iterator[_Edit]:
    """Yield the keywords to rename, if the template takes the call's own arguments in order."""
    outcome, given = planned.outcome, planned.match.arguments
    takes = template.expression
    assert isinstance(outcome, Rewrite)
    assert isinstance(takes, ast.Call)
    positional = [placeholder_at(one) for one in takes.args]
    keywords = {placeholder_at(one.value): one.arg for one in takes.keywords}
    filled = {*positional, *keywords}
    written = {*outcome.texts, *(template.literals.keys() - given.keys())}
    if filled & {None, "self", *written} or any(isinstance(one, _BARE) for one in call.args):
        raise _NotOnlyNames
    if any(isinstance(one, ast.Call) for one in ast.walk(takes.func)):
        raise _NotOnlyNames
    places = {tuple(one.indexes): name for name, one in given.items() if not one.variadic}
    order = [places.pop((index,), None) for index in range(len(call.args) + len(call.keywords))]
    count = len(call.args)
    if places or len(given) != len(order):
        raise _NotOnlyNames
    if [name for name in positional if name in given] != order[:count]:
        raise _NotOnlyNames
    for one, name in zip(call.keywords, order[count:], strict=True):
        new = keywords.get(name)
        start = text.start(one)
        end = start + len(one.arg or "")
        if new is None or text.code[start:end] != one.arg:
            raise _NotOnlyNames
        yield start, end, new


def _is_spliced(takes: ast.expr, planned: Plan, call: ast.Call) -> bool:
    """Return whether a template that is `f(*{args})` takes all arguments as they are."""
    assert isinstance(takes, ast.Call)
    if takes.keywords or call.keywords or len(takes.args) != 1:
        return False
    [one] = takes.args
    name = placeholder_at(one.value) if isinstance(one, ast.Starred) else None
    argument = planned.match.arguments.get(name or "")
    every = list(range(len(call.args)))
    return argument is not None and argument.variadic and argument.indexes == every


def _wrapping(text: _Text, node: ast.expr, template: Template) -> Iterator[_Edit]:
    """Yield a call around the expression that is subscripted: `Rows(x)[0]` for `x[0]`."""
    start, end = text.start(node), text.end(node)
    if template.text != f"{template.callee}({{self}})" or text.code[end] != "[":
        raise _NotOnlyNames
    yield start, start, f"{template.callee}("
    yield end, end, ")"


@dataclass(slots=True)
class _Written:
    """An argument of the result: its new code, or its span in the text."""

    keyword: str
    code: str | None
    span: tuple[int, int]
    place: int


def _arguments(text: _Text, planned: Plan, call: ast.Call, template: Template) -> Iterator[_Edit]:
    """Yield the edits of a call whose arguments keep their order, with the receiver first."""
    use = planned.use
    takes = template.expression
    assert isinstance(takes, ast.Call)
    if use.kind in _STAYS or use.skips_first or any(isinstance(one, _BARE) for one in call.args):
        raise _NotOnlyNames
    if any(isinstance(one, ast.Call) for one in ast.walk(takes.func)):
        raise _NotOnlyNames
    start, end = _inner_span(text, call)
    values = [_value(text, planned, call, one, template) for one in takes.args]
    named = [
        _value(text, planned, call, one.value, template, f"{one.arg}=") for one in takes.keywords
    ]
    written = [one for one in values if one is not None]
    written += sorted((one for one in named if one is not None), key=lambda one: one.place)
    receiver = use.receiver
    if written and written[0].place == -1:
        assert isinstance(call.func, ast.Attribute)
        if call.func.value is not receiver or not _DOTTED.fullmatch(template.callee):
            raise _NotOnlyNames
        start = written.pop(0).span[1]
        if text.code[start : text.end(call.func)] != f".{call.func.attr}":
            raise _NotOnlyNames
        at, pending, between = text.start(call), "", ", "
        yield at, at, f"{template.callee}("
    else:
        yield _callee(text, planned, call.func, template.callee)
        pending, between = "", ""
    for one in written:
        pending += f"{between}{one.keyword}"
        between = ", "
        if one.code is not None:
            pending += one.code
            continue
        if one.span[0] < start:
            raise _NotOnlyNames
        yield start, one.span[0], pending
        pending, start = "", one.span[1]
    yield start, end, pending


def _inner_span(text: _Text, call: ast.Call) -> tuple[int, int]:
    """Return the span of a call's arguments, which must be on one line with `, ` between them."""
    start, end = text.end(call.func) + 1, text.end(call) - 1
    at = start
    given = [*call.args, *(one.value for one in call.keywords)]
    for index, one in enumerate(sorted(given, key=text.start)):
        gap = text.code[at : text.start(one)]
        if not (_NEXT if index else _FIRST).fullmatch(gap):
            raise _NotOnlyNames
        at = text.end(one)
    if text.code[start - 1] != "(" or at != end:
        raise _NotOnlyNames
    return start, end


def _value(
    text: _Text,
    planned: Plan,
    call: ast.Call,
    node: ast.expr,
    template: Template,
    keyword: str = "",
) -> _Written | None:
    """Return the code for an argument of the template, or None if it was not given."""
    outcome, name = planned.outcome, placeholder_at(node)
    assert isinstance(outcome, Rewrite)
    if name is None:
        if isinstance(node, ast.Starred) or any(map(placeholder_at, _expressions(node))):
            raise _NotOnlyNames
        return _Written(keyword, ast.get_source_segment(template.code, node), (0, 0), _LAST)
    argument = planned.match.arguments.get(name)
    given = [*call.args, *(one.value for one in call.keywords)]
    if name == "self":
        if planned.use.receiver is None or keyword:
            raise _NotOnlyNames
        receiver = planned.use.receiver
        return _Written("", None, (text.start(receiver), text.end(receiver)), -1)
    if argument is not None and (argument.variadic or len(argument.indexes) != 1):
        raise _NotOnlyNames
    value = given[argument.indexes[0]] if argument is not None else None
    place = text.start(value) if value is not None else _LAST
    code = outcome.texts.get(name)
    if code is None and value is None:
        code = template.literals.get(name)
        return _Written(keyword, code, (0, 0), _LAST) if code is not None else None
    span = (text.start(value), text.end(value)) if value is not None else (0, 0)
    return _Written(keyword, code, span, place)


def _expressions(node: ast.expr) -> Iterator[ast.expr]:
    return (one for one in ast.walk(node) if isinstance(one, ast.expr))
