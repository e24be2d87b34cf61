"""One file converted, and all that must hold of any conversion checked on it."""

from __future__ import annotations

import ast
import io
import time
import tokenize
import warnings
from collections import Counter
from dataclasses import dataclass, field
from itertools import zip_longest

from bench.wild.counting import count
from workbench import Conversion, apply_edits, convert
from workbench.convert.findings.messages import UNKNOWN_RECEIVER
from workbench.convert.project.file_job import with_deep_stack
from workbench.positions import Lines


@dataclass(slots=True)
class Examined:
    """Figures about one file, and the problems of its conversion.

    `names` and `members` are the independent counts. `seen_` counts those with a finding, and
    `hinted` the members that a hint names since their receiver is unknown.
    """

    lines: int = 0
    seconds: float = 0.0
    uses: int = 0
    converted: int = 0
    names: int = 0
    seen_names: int = 0
    members: int = 0
    seen_members: int = 0
    hinted: int = 0
    unseen: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def examine(text: str) -> Examined:
    """Convert a text that parses and check the result; whatever is raised is noted as wrong."""
    result = Examined(lines=text.count("\n"))
    try:
        with_deep_stack(lambda: _examine(text, result))
    except Exception as error:
        result.wrong.append(f"{type(error).__name__}: {error}")
    return result


def _examine(text: str, result: Examined) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # of the package's own escapes
        started = time.process_time()
        conversion = convert(text)
        result.seconds = time.process_time() - started
        result.wrong += problems(text, conversion)
        _hold_against_the_count(text, conversion, result)
    result.converted = sum(finding.converts for finding in conversion.findings)
    result.uses = result.converted + len(conversion.unconverted)


def problems(text: str, conversion: Conversion) -> list[str]:
    """Return the problems of a conversion as text."""
    code = conversion.code
    found = []
    try:
        ast.parse(code.removeprefix("\ufeff"))
    except SyntaxError as error:
        return [f"the converted code does not parse: line {error.lineno}: {error.msg}"]
    lost = comments(text) - comments(code)
    found += [f"lost comment {comment!r}" for comment in lost]
    if apply_edits(text, conversion.edits) != code:
        found.append("the edits do not make the converted code")
    lines = Lines(text)
    for finding in conversion.findings:
        start, end = finding.range.start, finding.range.end
        if not (start <= end and end.line < len(lines) and end.column <= len(lines.line(end.line))):
            found.append(f"a finding lies outside the text: {finding.range}")
    origins = [line for line in conversion.line_map if line >= 0]
    if len(conversion.line_map) != len(Lines(code)) or origins != sorted(origins):
        found.append("the map of lines does not fit the code")
    found += _again(conversion)
    return found


def _again(conversion: Conversion) -> list[str]:
    """Check that converting converted code changes nothing."""
    again = convert(conversion.code).code
    if again == conversion.code:
        return []
    before, after = conversion.code.splitlines(), again.splitlines()
    for number, (old, new) in enumerate(zip_longest(before, after, fillvalue=""), 1):
        if old != new:
            return [f"converted again, line {number} changes: {old.strip()!r} to {new.strip()!r}"]
    return ["converted again, its line endings change"]


def comments(text: str) -> Counter[str]:
    """Return the comments of a text that parses, without trailing blanks.

    None where `tokenize` does not read what the parser does: form feeds among indents.
    """
    readline = io.StringIO(text.removeprefix("\ufeff"), newline="").readline
    try:
        tokens = list(tokenize.generate_tokens(readline))
    except (SyntaxError, tokenize.TokenError):
        return Counter()
    return Counter(one.string.rstrip() for one in tokens if one.type == tokenize.COMMENT)


def _hold_against_the_count(text: str, conversion: Conversion, result: Examined) -> None:
    mark = int(text.startswith("\ufeff"))
    starts, ends, hints = set(), set(), set()
    for finding in conversion.findings:
        start, end = finding.range.start, finding.range.end
        starts.add((start.line, start.column - (mark if start.line == 0 else 0)))
        kind = hints if finding.code == UNKNOWN_RECEIVER else ends
        kind.add((end.line, end.column - (mark if end.line == 0 else 0)))
    counted = count(text)
    result.names, result.members = len(counted.names), len(counted.members)
    result.seen_names = sum(place in starts for place in counted.names)
    result.seen_members = sum(place in ends for place in counted.members)
    result.hinted = sum(place in hints for place in counted.members)
    known = ends | hints
    result.unseen = [f"name {p}" for p in counted.names if p not in starts]
    result.unseen += [f"member {p}" for p in counted.members if p not in known]
