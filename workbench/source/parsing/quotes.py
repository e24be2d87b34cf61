"""Search for the stray triple quote in a text that ends inside a string.

After a stray quote every string reads as code and all code as a string. The most likely reading is
the one in which most code looks like code and most prose is in strings. It is found line by line; a
line may be masked (at a cost) and then leads to any state.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from workbench.source.parsing.logical_lines import (
    TOKEN,
    TRIPLE,
    TRIPLE_END,
    is_blank,
    left_open,
    margin,
    next_triple,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_CUT = 8.0  # cost of a cut: more than a string with an example in it
_PROSE_AS_CODE = 1.5
_CODE_AS_STRING = 0.25  # strings do contain code: examples, templates
_UNCLEAR_AS_STRING = 0.02  # if nothing else decides, the string ends early
_STATES = 1 + len(TRIPLE)
_LINES_KEPT = 10_000  # with their costs: a keystroke changes one of them
_ABUTS = 1.0  # a string has no word of code directly at its quotes

_WORD_BEFORE = re.compile(r"(?:\b(?!(?:return|else|yield|and|not)\b)[^\W\d]\w{2,}|[)\]}\d])\s*$")
_WORD_AFTER = re.compile(r"\s*[\w(\[{]")
_LOOKS_LIKE_CODE = re.compile(
    r"\s*(?:(?:async\s+)?(?:def|class)\s+\w+.*[:(,]$|import\s+[\w., ]+$|from\s+[\w.]+\s+import\b"
    r"|return\b|(?:if|elif|while|with|for)\b.*:$|(?:else|try|finally|except.*):$|(?:raise|assert)\b"
    r"|@\w|(?:pass|break|continue)$|\#|[)\]}]+[,:]?$|[\w.\[\], *]+\s*[-+*/|&%@]?=[^=]"
    r"|[\w.]+\([^ ]*\)$|[\w.]+\($)"
)
_WORDS = re.compile(r"[^\W\d_][\w'-]*[,:;]? [^\W\d_][\w'-]*[,:;]? [^\W\d_][\w'-]*")
_KEYWORD = re.compile(
    r"\b(?:and|as|async|await|else|for|from|if|import|in|is|lambda|not|or|yield)\b"
)
_QUOTED = re.compile(r"""(["'])(?:[^"'\\]|\\.)*\1|\#.*""")
_PROSE_MARK = re.compile(
    r"\s*(?:>>>|\.\.\.\s|:\w+[ \w]*:|-{3,}|={3,}|~{3,}|\.\. |[A-Z]\w+:$|[-*] \w)"
)


@dataclass(frozen=True, slots=True)
class _Cut:
    """A line to mask, the state after it, and the cut before this one."""

    line: int
    end: str
    before: _Cut | None


# For each state, the cost of the cheapest reading that leads there, and its last cut.
_Paths: TypeAlias = dict[str, tuple[float, _Cut | None]]


def settle(lines: Sequence[str]) -> list[str]:
    """Mask the few lines without which the triple quotes of a text match most plausibly."""
    cuts: dict[int, str] = {}
    cut = _likeliest(lines)
    while cut:
        cuts[cut.line] = cut.end
        cut = cut.before
    settled = list(lines)
    state, opened = "", -1  # the first line of the current string, and
    torn = False  # whether one of its ends was masked
    for number, line in enumerate(lines):
        before, state = state, cuts[number] if number in cuts else _behind(line, state)
        if number in cuts and before == state:
            _mask(settled, number, number, within=bool(before))
        if before and not state:
            if torn or number in cuts:
                _mask(settled, opened, number)
            torn = False
        if state and not before:
            opened, torn = number, number in cuts
    if state and torn:
        _mask(settled, opened, len(lines) - 1)
    return settled


def _mask(settled: list[str], first: int, last: int, *, within: bool = False) -> None:
    for number in range(first, last + 1):
        stand_in = number == first and not within
        settled[number] = margin(settled[number]) + "pass" if stand_in else ""


def _likeliest(lines: Sequence[str]) -> _Cut | None:
    """Return the last of the cuts of the cheapest reading."""
    paths: _Paths = {"": (0.0, None)}
    for number, line in enumerate(lines):
        delimited = _delimited(line)
        as_code, as_string = _prices(line)
        after: _Paths = {}
        for state, (cost, cut) in paths.items():
            end, price = state, as_string if state else as_code
            if delimited:
                end, price = _read(line, state)
            if end not in after or cost + price < after[end][0]:
                after[end] = cost + price, cut
        if len(after) < _STATES or _is_worth_a_cut(paths, after):
            _cut(number, delimited, as_code > 0, paths, after)
        paths = after
    if "" in paths:
        return paths[""][1]  # a string should not extend to the end of the text
    return min(paths.values(), key=lambda path: path[0])[1]


def _is_worth_a_cut(paths: _Paths, after: _Paths) -> bool:
    """Return False if no cut can make a reading cheaper."""
    return min(paths.values(), key=_cost)[0] + _CUT < max(after.values(), key=_cost)[0]


def _cost(path: tuple[float, _Cut | None]) -> float:
    return path[0]


def _cut(number: int, delimited: bool, prose: bool, paths: _Paths, after: _Paths) -> None:
    """Add the readings that a cut at a line makes cheaper."""
    for state, (cost, cut) in paths.items():
        if delimited:
            ends: tuple[str, ...] = ("", *TRIPLE)
        elif state:
            ends = ("",)
        else:
            ends = TRIPLE if prose else ()
        for end in ends:
            if end not in after or cost + _CUT < after[end][0]:
                after[end] = cost + _CUT, _Cut(number, end, cut)


def _delimited(line: str) -> bool:
    return '"""' in line or "'''" in line


def _behind(line: str, state: str) -> str:
    """Return the state after a line."""
    return _read(line, state)[0] if _delimited(line) else state


@lru_cache(_LINES_KEPT)
def _read(line: str, state: str) -> tuple[str, float]:
    """Return the state after a line with triple quotes, and the cost of reading it that way."""
    code, string = "", ""
    price = 0.0
    at = 0
    while True:
        if state:
            closing = TRIPLE_END[state].match(line, at)
            string += line[at : closing.end() - 3] if closing else line[at:]
            if not closing:
                break
            at, state = closing.end(), ""
            price += _ABUTS if _WORD_AFTER.match(line, at) else 0
        quote = _next_triple(line, at)
        code += line[at : quote[0]]
        if not quote[1]:
            break
        price += _ABUTS if _WORD_BEFORE.search(line[at : quote[0]]) else 0
        at, state = quote[0] + 3, quote[1]
    return state, price + _prices(code.strip())[0] + _prices(string.strip())[1]


def _next_triple(line: str, at: int) -> tuple[int, str]:
    """Return the position and kind of the next triple quote, or the line's end and ""."""
    while token := TOKEN.search(line, at):
        text, at = token[0], token.end()
        if text in TRIPLE:
            return token.start(), text
        if text[0] == "#":
            break
        if text[0] in "\"'" and left_open(text):
            at = next_triple(line, token.start() + 1)
    return len(line), ""


@lru_cache(_LINES_KEPT)
def _prices(line: str) -> tuple[float, float]:
    """Return the costs of reading a line as code, and as part of a string."""
    if is_blank(line):
        return 0.0, 0.0
    if _LOOKS_LIKE_CODE.match(line):
        return 0.0, _CODE_AS_STRING
    if _PROSE_MARK.match(line):
        return _PROSE_AS_CODE, 0.0
    words = _WORDS.search(_QUOTED.sub("", line))
    if words and not _KEYWORD.search(words[0]):
        return _PROSE_AS_CODE, 0.0
    return 0.0, _UNCLEAR_AS_STRING
