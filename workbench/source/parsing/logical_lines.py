"""Logical lines of a text that may not parse, recognized by their appearance.

A logical line is a statement's own lines, or the header of a compound one. Brackets and strings
join lines as in Python's grammar, except where a line clearly starts a new statement: an open
bracket must not swallow the rest of the file.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from itertools import takewhile
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from workbench.source.parsing.changed_lines import difference
from workbench.source.parsing.read import parses

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# First words of the headers of compound statements.
HEADERS = frozenset(
    {"async", "case", "class", "def", "elif", "else", "except", "finally", "for", "if", "match"}
    | {"try", "while", "with"}
)
# Those that continue a statement.
CLAUSES = frozenset({"elif", "else", "except", "finally"})
CLOSER = {"(": ")", "[": "]", "{": "}"}
TRIPLE = ('"""', "'''")
TOKEN = re.compile(
    r"""\#.*|\"{3}|'{3}|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[()\[\]{}]|\\$""", re.DOTALL
)
TRIPLE_END = {
    '"""': re.compile(r'(?:[^"\\]|\\.|"(?!""))*+"""', re.DOTALL),
    "'''": re.compile(r"(?:[^'\\]|\\.|'(?!''))*+'''", re.DOTALL),
}
_ANY_TRIPLE = re.compile(r"\"{3}|'{3}")
_MARGIN = re.compile(r"[ \t\f]*")
_FIRST = re.compile(r"[^\W\d]\w*|\S|$")
# No multi-line expression contains a line that begins with one of these ...
_STATEMENT = re.compile(
    r"(?:def|class|import|return|while|with|try|raise|assert|del|pass|break|continue|global|nonlocal"
    r"|except|finally|elif)\b(?!\s*[=,)\]}.])|from\s+[\w.]+\s+import\b|async\s+(?:def|with)\b|@\w"
)
# ... and few contain one like a spaced assignment, or a loop's header.
_ASSIGNMENT = re.compile(
    r"[^\W\d]\w*(?:(?:\.\w+|\[[^\]]*\])+|(?:,\s*\w+)+)?\s+[-+*/%@&|^]?=\s(?!.*,\s*$)"
)
_HEADER = re.compile(r"(?:if|for|else|async\s+for)\b.*:\s*(?:\#.*)?$")
# Lines after an open bracket that are tried as the start of the next statement.
_LINES_TRIED = 30


class Logical(NamedTuple):
    """The physical lines from `start` to `stop` (exclusive) of one statement or header."""

    start: int
    stop: int
    indent: int  # as Python counts it: a tab goes to the next multiple of eight
    word: str  # its first word, or its first character if that begins no word
    header: bool  # ends in a colon
    open_quote: str = ""  # the quote that a line, or the end of the text, leaves open
    read_to: int = 0  # the last line that affects where it ends


def margin(line: str) -> str:
    """Return the white space at the start of a line."""
    match = _MARGIN.match(line)
    return match[0] if match else ""


def indentation(line: str) -> int:
    """Return the depth of a line, as Python's tokenizer counts."""
    space = margin(line)
    if "\t" not in space and "\f" not in space:
        return len(space)
    depth = 0
    for character in space:
        if character == "\f":
            depth = 0
        elif character == "\t":
            depth = depth // 8 * 8 + 8
        else:
            depth += 1
    return depth


def is_blank(line: str) -> bool:
    """Return whether a line is empty or has only a comment."""
    stripped = line.strip(" \t\f")
    return not stripped or stripped[0] == "#"


def left_open(string: str) -> bool:
    """Return whether a one-line string is not closed on its line."""
    return len(string) == 1 or string[-1] != string[0]


def next_triple(line: str, at: int) -> int:
    """Return the position of the next triple quote on a line, or the line's end.

    It counts even after an open quote: prose has apostrophes, and may end with its string.
    """
    match = _ANY_TRIPLE.search(line, at)
    return match.start() if match else len(line)


@dataclass(slots=True)
class Reading:
    """State of reading a text: open brackets and strings."""

    brackets: list[str]  # open ones, outermost first
    quote: str = ""  # the open triple quote
    single: str = ""  # the one-line quote that the last line leaves open
    continued: bool = False  # the last line ends in a backslash
    code: str = ""  # the last line without its comment

    @property
    def inside(self) -> bool:
        """Return whether the next line belongs to the same logical line."""
        return bool(self.brackets or self.quote or self.continued)

    def read(self, line: str) -> None:
        """Read one physical line."""
        at = 0
        self.continued = False
        self.single = ""
        end = len(line)
        if self.quote:
            closing = TRIPLE_END[self.quote].match(line)
            if not closing:
                self.code = line
                return
            self.quote = ""
            at = closing.end()
        while token := TOKEN.search(line, at):
            text, at = token[0], token.end()
            first = text[0]
            if first == "#":
                end = token.start()
                break
            if text in TRIPLE:
                closing = TRIPLE_END[text].match(line, at)
                if not closing:
                    self.quote = text
                    break
                at = closing.end()
            elif first in CLOSER:
                self.brackets.append(first)
            elif first in ")]}":
                self._close(first)
            elif first == "\\":
                self.continued = True
            elif left_open(text):
                self.single = first
                at = next_triple(line, token.start() + 1)
        self.code = line[:end]

    def _close(self, closer: str) -> None:
        for index in reversed(range(len(self.brackets))):
            if CLOSER[self.brackets[index]] == closer:
                del self.brackets[index:]
                return


def logical_lines(lines: Sequence[str]) -> list[Logical]:
    """Return the logical lines of a text, without blank and comment lines."""
    return list(_logical_lines(lines, 0))


def logical_lines_after(
    lines: Sequence[str], before: Sequence[str], known: Sequence[Logical]
) -> list[Logical]:
    """Return `logical_lines` faster; `known` are those of the text `before` the edit."""
    edit = difference(before, lines)
    found = list(takewhile(lambda one: one.read_to < edit.start, known))
    for one in _logical_lines(lines, found[-1].stop if found else 0):
        there = one.start - edit.shift
        if one.start >= edit.new_stop:
            at = bisect_left(known, there, key=attrgetter("start"))
            if at < len(known) and known[at].start == there:
                return [*found, *_moved(known[at:], edit.shift)]
        found.append(one)
    return found


def _moved(known: Sequence[Logical], by: int) -> Sequence[Logical]:
    if not by:
        return known
    return [
        one._replace(start=one.start + by, stop=one.stop + by, read_to=one.read_to + by)
        for one in known
    ]


def _logical_lines(lines: Sequence[str], number: int) -> Iterator[Logical]:
    while number < len(lines):
        line = lines[number]
        if is_blank(line):
            number += 1
            continue
        match = _FIRST.match(line, len(margin(line)))
        word = match[0] if match else ""
        first, depth = number, indentation(line)
        number, read_to, reading, open_quote = _extent(lines, first, depth, word in HEADERS)
        header = reading.code.rstrip().endswith(":") and not reading.inside
        yield Logical(first, number, depth, word, header, reading.quote or open_quote, read_to)


def _extent(
    lines: Sequence[str], first: int, depth: int, header: bool
) -> tuple[int, int, Reading, str]:
    """Return a logical line's end, the last line that determines it, and what stays open."""
    stop, reading, open_quote = _read(lines, first, len(lines), depth, header)
    if not reading.inside:
        return stop, stop - 1, reading, open_quote
    if reading.quote or not reading.brackets:
        return stop, stop, reading, open_quote
    # The bracket stays open: lines that parse without it are not inside it.
    for end in range(first + 1, min(stop, first + _LINES_TRIED)):
        line = lines[end]
        if is_blank(line) or not (_assigns(line) or (indentation(line) > depth) == header):
            continue
        rest = [margin(line) and "if 1:", *lines[end:stop]]
        last = next(line for line in reversed(rest) if not is_blank(line))
        if last.rstrip().endswith(":"):
            rest.append(f"{margin(last)} pass")
        if parses(rest):
            _, reading, open_quote = _read(lines, first, end, depth, header)
            break
    else:
        end = stop
    while is_blank(lines[end - 1]):
        end -= 1
    return end, stop, reading, open_quote


def _read(
    lines: Sequence[str], first: int, most: int, depth: int, header: bool
) -> tuple[int, Reading, str]:
    """Return where the brackets and strings of a line end, and what it leaves open."""
    number, reading, open_quote = first, Reading([]), ""
    while True:
        reading.read(lines[number])
        open_quote = open_quote or reading.single
        number += 1
        if number == most or not reading.inside:
            break
        if not reading.quote and _begins(lines[number], depth, header):
            break
    return number, reading, open_quote


def _assigns(line: str) -> bool:
    at = len(margin(line))
    return bool(_ASSIGNMENT.match(line, at) or _HEADER.match(line, at))


def _begins(line: str, depth: int, header: bool) -> bool:
    """Return whether a line inside brackets looks like a new statement.

    `depth` is that of the line with the opening bracket, and `header` says whether that is a
    header: then deeper lines can be its suite.
    """
    if is_blank(line):
        return False
    at = len(margin(line))
    if _STATEMENT.match(line, at):
        return True
    shallow = indentation(line) <= depth
    if _ASSIGNMENT.match(line, at):
        return shallow or header
    return shallow and bool(_HEADER.match(line, at))
