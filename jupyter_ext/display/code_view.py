"""The cell and its conversion in one table, line next to line, highlighted."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from html import escape

from pygments.lexers import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String

_FOLD_FROM = 10
_NAMED = 3
_DEFINED = re.compile(r'^<span class="tf-k">(?:def|class)</span>[^<]*<span class="tf-f">\s*(\w+)')
_CLASSES = [
    (Comment, "c"),
    (String, "s"),
    (Number, "m"),
    (Keyword, "k"),
    (Operator.Word, "k"),
    (Name.Function, "f"),
    (Name.Class, "f"),
    (Name.Decorator, "f"),
]


def side_by_side(
    source: str, code: str, line_map: Sequence[int], titles: tuple[str, str], stays: Collection[int]
) -> str:
    """Return an HTML table; changed lines are tinted, those in `stays` (0-based) unconverted."""
    left, right = highlighted(source), highlighted(code)
    plain_left, plain_right = source.split("\n"), code.split("\n")
    rows = []
    aligned = _aligned(len(left), len(right), line_map)
    folded = _folded(aligned)
    for index, (a, b) in enumerate(aligned):
        if index in folded:
            if folded[index]:
                rows.append(_fold([right[line] for line in folded[index]]))
            continue
        ours = plain_left[a] if a is not None else None
        theirs = plain_right[b] if b is not None else None
        kind = "" if ours == theirs else "tf-new"
        if a in stays:
            kind = "tf-stays"
        cells = [left[a] if a is not None else "", right[b] if b is not None else ""]
        if any(cells):
            rows.append(f'<tr class="{kind}"><td>{cells[0]}</td><td>{cells[1]}</td></tr>')
        else:
            rows.append("<tr><td>&nbsp;</td><td></td></tr>")
    while rows and rows[-1].startswith("<tr><td>&nbsp;"):
        rows.pop()
    head = f'<th class="tf-torch">{titles[0]}</th><th class="tf-target">{titles[1]}</th>'
    body = "".join(rows)
    return (
        f'<div class="tf-code"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _aligned(left: int, right: int, line_map: Sequence[int]) -> list[tuple[int | None, int | None]]:
    """Return pairs of line numbers, None on a side without such a line."""
    rows: list[tuple[int | None, int | None]] = []
    next_left = 0
    for line in range(right):
        origin = line_map[line] if line < len(line_map) else -1
        if origin < next_left:
            rows.append((None, line))
            continue
        rows += [(skipped, None) for skipped in range(next_left, origin)]
        rows.append((origin, line))
        next_left = origin + 1
    rows += [(skipped, None) for skipped in range(next_left, left)]
    return rows


def _folded(aligned: Sequence[tuple[int | None, int | None]]) -> dict[int, list[int]]:
    """Map the rows of long runs of added lines to their lines, all of them in the first row."""
    result: dict[int, list[int]] = {}
    start = 0
    for index in range(len(aligned) + 1):
        added = index < len(aligned) and aligned[index][0] is None
        if added:
            continue
        if index - start >= _FOLD_FROM:
            result |= {row: [] for row in range(start, index)}
            result[start] = [b for _, b in aligned[start:index] if b is not None]
        start = index + 1
    return result


def _fold(lines: list[str]) -> str:
    names = [match[1] for line in lines if (match := _DEFINED.search(line))]
    more = ", …" if len(names) > _NAMED else ""
    what = f"{len(lines)} lines of helpers" + (
        f": {', '.join(names[:_NAMED])}{more}" if names else ""
    )
    code = "\n".join(lines).strip("\n")
    return (
        f'<tr class="tf-new"><td></td><td><details><summary>{what}</summary>{code}'
        "</details></td></tr>"
    )


def highlighted(text: str) -> list[str]:
    """Return the lines of Python text as HTML."""
    lines = [""]
    blank = ""  # escaped: exporters may collapse blanks between tags
    for token, value in PythonLexer(stripnl=False, ensurenl=False).get_tokens(text):
        name = next((short for kind, short in _CLASSES if token in kind), "")
        for number, piece in enumerate(value.split("\n")):
            if number:
                lines.append("")
                blank = ""
            if piece.isspace():
                blank += piece
            elif piece:
                safe, blank = escape(blank + piece), ""
                lines[-1] += f'<span class="tf-{name}">{safe}</span>' if name else safe
    return lines
