"""The tree of an edited text, of which only the statements that the edit touched are parsed anew.

`ast.parse` takes about 4 µs a line, and a keystroke asks for it several times while the text is
broken. The statements at the top level that an edit leaves alone keep the nodes that they have, so
trees of one document share most of their nodes: nobody may change one.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.source.difference import difference
from workbench.source.logical import CLAUSES, is_blank
from workbench.source.read import read
from workbench.source.spans import reach

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Known:
    """Lines that parsed, and their tree."""

    lines: Sequence[str]
    tree: ast.Module


def reread(lines: Sequence[str], known: Known | None) -> ast.Module:
    """The tree of these lines, with what stayed as it is in a text that is known.

    The result is what `read` gives for the whole, and so are the exceptions, but for the wording
    of a message. Only edits that keep the number of lines are made use of: below others every node
    would have to move.
    """
    if known is None or len(known.lines) != len(lines):
        return read("\n".join(lines))
    edit = difference(known.lines, lines)
    if edit.start == edit.new_stop:
        return known.tree
    body = known.tree.body
    first, last = _touched(body, lines, edit.start, edit.old_stop)
    start = reach(body[first - 1])[1] + 1 if first else 0
    stop = reach(body[last])[0] if last < len(body) else len(lines)
    part = "\n".join(lines[start:stop]) + ("\n" if last < len(body) else "")
    try:
        middle = read("\n" * start + part).body
    except SyntaxError as failure:
        if last < len(body) and _reaches_on(part, failure):
            return read("\n".join(lines))
        raise
    return ast.Module([*body[:first], *middle, *body[last:]], type_ignores=[])


def _touched(
    body: Sequence[ast.stmt], lines: Sequence[str], start: int, stop: int
) -> tuple[int, int]:
    """Which statements (from, up to) lines `start` up to `stop` of a text can belong to."""
    first = next((at for at, one in enumerate(body) if reach(one)[1] >= start), len(body))
    last = next((at for at in range(first, len(body)) if reach(body[at])[0] >= stop), len(body))
    above = reach(body[first - 1])[1] + 1 if first else 0
    if first and _goes_on(lines[above : _begin(body, last, len(lines))]):
        first -= 1
    while first and _joined(reach(body[first - 1])[1], _begin(body, first, stop), lines):
        first -= 1
    while 0 < last < len(body) and _joined(reach(body[last - 1])[1], reach(body[last])[0], lines):
        last += 1
    return first, last


def _begin(body: Sequence[ast.stmt], at: int, end: int) -> int:
    return reach(body[at])[0] if at < len(body) else end


def _goes_on(lines: Iterable[str]) -> bool:
    """Whether these lines carry on the statement above them: deeper ones do, and clauses."""
    code = next((line for line in lines if not is_blank(line)), "")
    word = _WORD.match(code)
    return code[:1].isspace() or (word is not None and word[0] in CLAUSES)


def _joined(end: int, begin: int, lines: Sequence[str]) -> bool:
    """Whether what ends on one line and begins on another cannot be parted between lines."""
    return begin <= end or any(line.endswith("\\") for line in lines[end:begin])


def _reaches_on(part: str, failure: SyntaxError) -> bool:
    """Whether what follows could make a part whole that does not parse alone.

    An open string may end below, a backslash joins the next line, and a decorator waits for what
    it decorates. An open bracket stays open: below, every bracket has its partner.
    """
    if "triple-quoted" in failure.msg or "EOF" in failure.msg or "end of file" in failure.msg:
        return True
    at_margin = [line for line in part.split("\n") if line[:1] in {"@", "d", "c", "a"}]
    decorators = [at for at, line in enumerate(at_margin) if line.startswith("@")]
    defined = [at for at, line in enumerate(at_margin)
               if line.startswith(("def", "class", "async"))]  # fmt: skip
    return bool(decorators) and max(decorators) > max(defined, default=-1)
