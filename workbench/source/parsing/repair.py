"""Completion of an incomplete statement, which preserves its bindings and suites while typing.

Everything is tried on the statement alone, which takes microseconds; the statement gets the lines
that it needs around it (a suite after a header, an `if` before an `else`).
"""

from __future__ import annotations

import re
from itertools import islice
from keyword import iskeyword
from typing import TYPE_CHECKING

from workbench.source.parsing.logical_lines import CLOSER, Reading, margin
from workbench.source.parsing.read import parses

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Replaces a missing value: a name that nothing binds, so that nothing is inferred from it.
PLACEHOLDER = "__unparsed__"

_WORD = re.compile(r"\s*(async\s+\w+|\w+|@)?")
_ABOVE = {"elif": "if 1:", "else": "if 1:", "except": "try:", "finally": "try:", "case": "match 0:"}
_OPENS = {"if", "for", "while", "with", "try", "def", "class", "match", *_ABOVE}
# Possible missing ends of an incomplete line, before its brackets are closed.
_MISSING = ("", PLACEHOLDER, f" else {PLACEHOLDER}", f" in {PLACEHOLDER}", f" import {PLACEHOLDER}")
_HEADER_MISSING = (*_MISSING, "()", f" {PLACEHOLDER}()", f" {PLACEHOLDER}")

# Positions in the middle of a line where a value is missing.
_GAP = re.compile(r"[.=+%<>-](?=\s*[\])},])|[\[({,](?=\s*,)")

# Limits of the search for a completion: a table of 500 lines is a statement, too.
_LINES_TRIED, _FEWEST_TRIES = 4_000, 4

# The header of a class or a function, and what stands in front of it on its line.
_BEHIND = re.compile(
    r"([ \t]*)(?!async\b|class\b|def\b|@)[^\s#\"'][^#\"']*?([ \t]*)"
    r"((?:async\s+def|def|class)\s+(\w+)\s*[(:\[].*)"
)


def opens_suite(line: str) -> bool:
    """Return whether a line begins like the header of a compound statement."""
    return _first_word(line).removeprefix("async").strip() in _OPENS


def header_alone(line: str) -> str | None:
    """Return a definition's header without text typed before it, or None for other lines.

    `xclass Net(nn.Module):` hides a class from the code below. No valid line looks like this.
    """
    found = _BEHIND.match(line) if "def" in line or "class" in line else None
    if found is None or iskeyword(found[4]):
        return None
    space = found[2][: len(found[2]) // 2 * 2]  # an odd space was typed with the text
    return (found[1] or space) + found[3]


def parses_alone(lines: Sequence[str], *, suite: bool) -> bool:
    """Return whether a statement parses by itself; with `suite`, as a header with a suite."""
    space = next((margin(line) for line in lines if line.strip()), "")
    word = _first_word(lines[0] if lines else "")
    framed = list(lines)
    if suite:
        framed.append(f"{space} case _: pass" if word == "match" else f"{space} pass")
    if word == "@":
        framed.append(f"{space}def _(): pass")
    if word == "try":
        framed.append(f"{space}finally: pass")
    if above := _ABOVE.get(word):
        if word == "case":
            return bool(space) and parses([above, *framed])
        framed = [space + above, space + " pass", *framed]
    return parses(["if 1:" if space else "", *framed])


def completed(lines: Sequence[str], at: int, *, suite: bool) -> list[str] | None:
    """Return the statement with line `at` completed, or None if no completion parses."""
    tries = max(_FEWEST_TRIES, _LINES_TRIED // max(1, len(lines)))
    for candidate in islice(_candidates(lines, at, suite=suite), tries):
        whole = [*lines[:at], candidate, *lines[at + 1 :]]
        if parses_alone(whole, suite=suite):
            return whole
    return None


def _candidates(lines: Sequence[str], at: int, *, suite: bool) -> Iterator[str]:
    reading = Reading([])
    for line in lines[:at]:
        reading.read(line)
    before = len(reading.brackets)
    quoted_before = reading.quote
    reading.read(lines[at])
    code = reading.code.rstrip().removesuffix("\\")
    last = at == len(lines) - 1
    opened = reading.brackets if last else reading.brackets[before:]
    closers = "".join(CLOSER[bracket] for bracket in reversed(opened))
    quote = reading.single or ("" if quoted_before else reading.quote)
    header = opens_suite(lines[0]) and last
    endings = ("", ":") if suite else ("", ": pass", " pass") if header else ("",)
    stem = code.rstrip().removesuffix(":") if header else code
    if quote:
        yield from (stem + quote + closers + ending for ending in endings)
        yield from (
            stem + fill + "}" + quote + closers + e for e in endings for fill in _MISSING[:2]
        )
    for missing in _HEADER_MISSING if header else _MISSING:
        yield from (stem + missing + closers + ending for ending in endings)
        if closers and not last:
            yield from (stem + missing + ending for ending in endings)
    gap = _GAP.search(lines[at])
    if not gap:
        return
    head, tail = lines[at][: gap.end()], lines[at][gap.end() :]
    yield head + PLACEHOLDER + tail
    for mark in (*filter(None, [closers]), ")", "]", "}", '"', "'"):
        yield from (head + mark + tail + ending for ending in endings)
        yield from (head + PLACEHOLDER + mark + tail + ending for ending in endings)
    yield from (head + tail[1:] + ending for ending in endings)
    yield from (head[:-1] + tail + ending for ending in endings)


def _first_word(line: str) -> str:
    match = _WORD.match(line)
    return match[1] or "" if match else ""
