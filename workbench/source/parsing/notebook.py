"""Notebook cells as Python text, line for line: positions in one are those in the other.

Syntax that only IPython understands is replaced by Python that binds the same names:

    !pip install x, %cd y, f?, ?f      a blank line; `pass` where it is indented
    x = !ls                            x = None
    x = %magic y                       x = __unparsed__    (a name that nothing binds)
    %time y = f(x)                     0;    y = f(x)      Python stays, in its columns
    y = %time f(x)                     y =       f(x)      `%time` returns the value
    y = %timeit -o f(x)                y = 0,        f(x)  `%timeit` returns another result
    %%time, %%capture, %%convert …     a blank line, and the cell's other lines as they are
    %%bash, %%html, any other          blank lines throughout
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from workbench.source.parsing.logical_lines import Reading, is_blank, margin
from workbench.source.parsing.read import parses
from workbench.source.parsing.repair import PLACEHOLDER

if TYPE_CHECKING:
    from collections.abc import Sequence

# Cell magics whose cells contain Python that runs in the notebook's namespace.
PYTHON_CELLS = frozenset(
    {"capture", "convert", "debug", "heat", "lprun", "memit", "mprun", "prun", "time", "timeit"}
)
# Line magics that run Python, with their options that take a value.
_PYTHON_LINES = {
    "lprun": "fmDTsuz",
    "memit": "rtic",
    "mprun": "fTc",
    "prun": "lsTD",
    "time": "",
    "timeit": "nrp",
}
_NEWLINE = re.compile(r"(\r\n|\r|\n)")
_CELL_MAGIC = re.compile(r"%%(?P<name>\S*)")
_LINE_MAGIC = re.compile(r"[ \t\f]*%(?P<name>[^\W\d]\w*)(?=\s|$)")
# `!ls`, `?name`, and IPython's calls without parentheses: `/f x`, `,f x`, `;f x`.
_ESCAPED = re.compile(r"[ \t\f]*(?:[!?]|%{1,2}[^\W\d]|[/,;][^\W\d])")
_ASSIGNED = re.compile(
    r"(?P<head>[ \t\f]*[^\W\d][\w.\[\]'\", *:]*=[ \t]*)(?:!|%(?P<name>[^\W\d][\w.]*))"
)
_OPTION = re.compile(r"\s*-(?:-[\w-]+(?:=\S*)?|(?P<letters>\w+))(?=\s|$)")
_VALUE = re.compile(r"\s*\S+")


def cell_text(source: str) -> str:
    """Return the Python in a cell's source: as many lines, with Python code in its own columns."""
    parts = _NEWLINE.split(source)
    lines, endings = parts[::2], [*parts[1::2], ""]
    python = _without_line_magics(_without_cell_magic(lines))
    return "".join(line + ending for line, ending in zip(python, endings, strict=True))


def join_cells(sources: Sequence[str]) -> tuple[str, list[int]]:
    """Return one program from cells in order, and the first line (0-based) of each cell."""
    texts: list[str] = []
    firsts: list[int] = []
    line = 0
    for source in sources:
        text = cell_text(source)
        if not source.endswith(("\n", "\r")):
            text += "\n"
        texts.append(text)
        firsts.append(line)
        line += len(_NEWLINE.findall(text))
    return "".join(texts), firsts


def _without_cell_magic(lines: list[str]) -> list[str]:
    """Return the lines with cell magics blank; all are blank after one not for this Python."""
    lines = list(lines)
    for number, line in enumerate(lines):
        if magic := _CELL_MAGIC.match(line):
            if magic["name"] not in PYTHON_CELLS:
                return [""] * len(lines)
            lines[number] = ""
        elif line.strip():
            break
    return lines


def _without_line_magics(lines: list[str]) -> list[str]:
    reading = Reading([])
    number = 0
    while number < len(lines):
        stop = number + 1
        if reading.inside:
            reading.read(lines[number])
        elif not is_blank(lines[number]):
            while lines[stop - 1].endswith("\\") and stop < len(lines):
                stop += 1
            if (python := _python(lines[number:stop])) is not None:
                lines[number:stop] = python
            else:
                stop = number + 1
                reading.read(lines[number])
        number = stop
    return lines


def _python(lines: list[str]) -> list[str] | None:
    """Return Python in place of an IPython command, or None for any other line."""
    line = lines[0]
    if assigned := _ASSIGNED.match(line):
        value = "None" if assigned["name"] is None else PLACEHOLDER
        if assigned["name"] in _PYTHON_LINES and len(lines) == 1:
            stem = " " * len(assigned["head"])
            code = _code_of(stem + line[len(stem) :], assigned["name"])
            filler = "" if assigned["name"] == "time" else "0,"
            visible = assigned["head"] + filler + code[len(stem) + len(filler) :]
            if code.strip() and parses([visible.lstrip(" \t\f")]):
                return [visible]
        return _filled(assigned["head"] + value, lines)
    if magic := _LINE_MAGIC.match(line):
        if magic["name"] in _PYTHON_LINES:
            return _timed(lines, magic["name"])
        return _filled(_nothing(line), lines)
    if _ESCAPED.match(line) or _asks(line):
        return _filled(_nothing(line), lines)
    return None


def _nothing(line: str) -> str:
    """Return Python that does nothing: a blank line at the top, to keep import blocks together."""
    space = margin(line)
    return f"{space}pass" if space else ""


def _filled(first: str, lines: list[str]) -> list[str]:
    return [first, *[""] * (len(lines) - 1)]


def _timed(lines: list[str], name: str) -> list[str]:
    """Return `%time y = f(x)` with `0;` and spaces in place of the magic."""
    space = margin(lines[0])
    code = _code_of(lines[0], name)
    visible = [space + "0;" + code[len(space) + 2 :], *lines[1:]]
    if code.strip(" \t\f") and parses([visible[0].lstrip(" \t\f"), *visible[1:]]):
        return visible
    return _filled(_nothing(lines[0]), lines)


def _code_of(line: str, name: str) -> str:
    """Return the line with spaces in place of a magic's name and options."""
    at = line.index("%") + 1 + len(name)
    while option := _OPTION.match(line, at):
        at = option.end()
        letters = option["letters"] or ""
        if len(letters) == 1 and letters in _PYTHON_LINES[name]:
            value = _VALUE.match(line, at)
            at = value.end() if value else at
    space = margin(line)
    return space + " " * (at - len(space)) + line[at:]


def _asks(line: str) -> bool:
    """Return whether a line is like `name?`."""
    if "?" not in line:
        return False
    reading = Reading([])
    reading.read(line)
    return not reading.inside and not reading.single and reading.code.rstrip().endswith("?")
