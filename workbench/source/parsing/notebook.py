"""Notebook cells as Python text, line for line: positions in one are those in the other.

What IPython understands and Python does not gives way to Python that binds the same names:

    !pip install x, %cd y, f?, ?f      a blank line; `pass` where it is indented
    x = !ls                            x = None
    x = %magic y                       x = __unparsed__    (a name that nothing binds)
    %time y = f(x)                     0;    y = f(x)      Python stays, in its columns
    y = %time f(x)                     y =       f(x)      `%time` hands on the value
    y = %timeit -o f(x)                y = 0,        f(x)  `%timeit` hands on a result of its own
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

# Cell magics below which there is Python that runs in the notebook's own names.
PYTHON_CELLS = frozenset(
    {"capture", "convert", "debug", "heat", "lprun", "memit", "mprun", "prun", "time", "timeit"}
)
# Line magics that run Python, each with its options that take a value.
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
    """The Python in a cell's source: as many lines, and Python code in its own columns."""
    parts = _NEWLINE.split(source)
    lines, endings = parts[::2], [*parts[1::2], ""]
    python = _without_line_magics(_without_cell_magic(lines))
    return "".join(line + ending for line, ending in zip(python, endings, strict=True))


def join_cells(sources: Sequence[str]) -> tuple[str, list[int]]:
    """One program out of cells in order, and the line (0-based) that each cell begins on."""
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
    """The lines with cell magics blank, and all blank below one that runs no Python here."""
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
    """Python in place of one of IPython's own commands; None where the line is none of them."""
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
    """Python that does nothing: at the top a blank line, which ends no block of imports."""
    space = margin(line)
    return f"{space}pass" if space else ""


def _filled(first: str, lines: list[str]) -> list[str]:
    return [first, *[""] * (len(lines) - 1)]


def _timed(lines: list[str], name: str) -> list[str]:
    """`%time y = f(x)` with `0;` and spaces in front of its statement."""
    space = margin(lines[0])
    code = _code_of(lines[0], name)
    visible = [space + "0;" + code[len(space) + 2 :], *lines[1:]]
    if code.strip(" \t\f") and parses([visible[0].lstrip(" \t\f"), *visible[1:]]):
        return visible
    return _filled(_nothing(lines[0]), lines)


def _code_of(line: str, name: str) -> str:
    """The line with spaces over a magic's name and options, down to the Python behind them."""
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
    """True for a line such as `name?`."""
    if "?" not in line:
        return False
    reading = Reading([])
    reading.read(line)
    return not reading.inside and not reading.single and reading.code.rstrip().endswith("?")
