"""Uses of which names alone change, written over in the text.

Most do: `torch.cat(xs, dim=1)` becomes `paddle.concat(xs, axis=1)`. Where a whole expression does,
it need not be read a second time.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from workbench.convert.decide.planner import Plan
from workbench.rules.outcome import Rewrite
from workbench.rules.template import Template, compile_template, placeholder_at
from workbench.source.uses import UseKind

# Positions of `ast` within f-strings are wrong before Python 3.12; elsewhere they count bytes, and
# lines that end as in a file.
_UNSURE = re.compile(r"""[fF][rR]?["']|[rR][fF]["']|[^\t\n\r -\x7f]""")
_CONSTANTS = frozenset({"True", "False", "None"})
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_MEMBER = re.compile(r"\{self\}(\.[A-Za-z_]\w*)")
_KINDS = frozenset(UseKind) - {
    UseKind.AUGMENTED,
    UseKind.OPERATOR,
    UseKind.PARTIAL,
    UseKind.UNBOUND,
}
# Calls of something that keeps its name: what a variable holds, a layer, a base class's method.
_STAYS = frozenset({UseKind.INDIRECT, UseKind.LAYER, UseKind.SUPER})
# Arguments that come as several, or in brackets of their own.
_BARE = (ast.Starred, ast.NamedExpr, ast.GeneratorExp)


class _More(Exception):  # noqa: N818
    """More than names changes."""


def renamed(code: str, root: ast.expr, plans: Iterable[Plan]) -> str | None:
    """The new code of an expression whose text this is; None where more than names changes."""
    if _UNSURE.search(code):
        return None
    text = _Text(code, root)
    try:
        edits = sorted(edit for one in plans for edit in _names(text, one))
    except _More:
        return None
    done, pieces = 0, []
    for start, end, name in edits:
        if start < done:
            return None
        pieces += [code[done:start], name]
        done = end
    return "".join([*pieces, code[done:]])


class _Text:
    """The text of an expression, by the places of its nodes."""

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
    """The names that change in one use.

    Raises:
        _More: more than names changes.
    """
    outcome, use = planned.outcome, planned.use
    assert isinstance(outcome, Rewrite)
    node = use.node
    if outcome.around is not None or use.kind not in _KINDS or not isinstance(node, ast.expr):
        raise _More
    if outcome.template == "False":
        raise _More  # a choice of two may go
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
        if not template.passes_on:
            yield from _keywords(text, planned, call, template)
        elif template.text != f"{template.callee}(...)":
            raise _More
        if use.kind not in _STAYS:
            yield _callee(text, planned, call.func, template.callee)
    else:
        raise _More


def _callee(text: _Text, planned: Plan, node: ast.expr, new: str) -> _Edit:
    """A dotted name in the place of another, or a member's name in the place of another's."""
    start, end = text.start(node), text.end(node)
    receiver = planned.use.receiver
    if receiver is None:
        if _DOTTED.fullmatch(new) and _DOTTED.fullmatch(text.code, start, end):
            return start, end, new
    elif (member := _MEMBER.fullmatch(new)) and isinstance(node, ast.Attribute):
        start = text.end(node.value)
        if node.value is receiver and text.code[start:end] == f".{node.attr}":
            return start, end, member[1]
    raise _More


def _keywords(text: _Text, planned: Plan, call: ast.Call, template: Template) -> Iterator[_Edit]:
    """The names of keywords, where the template takes the call's own arguments in their order."""
    outcome, given = planned.outcome, planned.match.arguments
    takes = template.expression
    assert isinstance(outcome, Rewrite)
    assert isinstance(takes, ast.Call)
    if _is_spliced(takes, planned, call):
        return
    positional = [placeholder_at(one) for one in takes.args]
    keywords = {placeholder_at(one.value): one.arg for one in takes.keywords}
    filled = {*positional, *keywords}
    written = {*outcome.texts, *(template.literals.keys() - given.keys())}
    if filled & {None, "self", *written} or any(isinstance(one, _BARE) for one in call.args):
        raise _More
    if any(isinstance(one, ast.Call) for one in ast.walk(takes.func)):
        raise _More
    places = {tuple(one.indexes): name for name, one in given.items() if not one.variadic}
    order = [places.pop((index,), None) for index in range(len(call.args) + len(call.keywords))]
    count = len(call.args)
    if places or len(given) != len(order):
        raise _More
    if [name for name in positional if name in given] != order[:count]:
        raise _More
    for one, name in zip(call.keywords, order[count:], strict=True):
        new = keywords.get(name)
        start = text.start(one)
        end = start + len(one.arg or "")
        if new is None or text.code[start:end] != one.arg:
            raise _More
        yield start, end, new


def _is_spliced(takes: ast.Call, planned: Plan, call: ast.Call) -> bool:
    """Whether a template that is `f(*{args})` takes all arguments as they are."""
    if takes.keywords or call.keywords or len(takes.args) != 1:
        return False
    [one] = takes.args
    name = placeholder_at(one.value) if isinstance(one, ast.Starred) else None
    argument = planned.match.arguments.get(name or "")
    every = list(range(len(call.args)))
    return argument is not None and argument.variadic and argument.indexes == every
