"""Comments that suppress findings and conversions.

    x = torch.foo(y)  # torchferry: ignore[TF201]      this code, on this statement
    x = torch.foo(y)  # torchferry: ignore             everything on this statement
    # torchferry: ignore-file                          everything in this file
    # torchferry: ignore-file[TF300, TF102]            these codes in this file

An ignored use is neither reported nor converted. A comment applies to the whole statement on its
line; for a compound statement, to its header.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from workbench.codes import HAZARDS, MALFORMED, UNUSED
from workbench.findings import Finding, Severity
from workbench.positions import Lines, Range
from workbench.source.analysis import Analysis
from workbench.source.parsing.logical_lines import Reading, logical_lines

_MARK = "torchferry:"
_COMMENT = re.compile(r"#\s*torchferry:\s*(?P<order>[^#]*)")
_ORDER = re.compile(r"ignore(?P<file>-file)?(?:\[(?P<codes>[^\]]*)\])?(?![\w\[-])")
_CODE = re.compile(r"TF\d{3}$")


@dataclass(slots=True)
class Directive:
    """One comment: the lines (0-based) that it applies to, and its codes; None means all."""

    range: Range
    first: int
    last: int
    codes: frozenset[str] | None
    used: set[str] = field(default_factory=set)

    def covers(self, line: int, code: str) -> bool:
        """Return whether this comment hides a finding; it is remembered as of use."""
        if not self.first <= line <= self.last:
            return False
        if self.codes is not None and code not in self.codes:
            return False
        self.used.add(code)
        return True


@dataclass(slots=True)
class Suppressions:
    """The comments of a program."""

    directives: list[Directive] = field(default_factory=list)
    malformed: list[Finding] = field(default_factory=list)
    whole: bool = False  # the file is ignored altogether
    broken: bool = False  # the file does not parse, so that uses may be hidden

    def covers(self, line: int, code: str) -> bool:
        """Return whether a finding with this code on this line is suppressed."""
        hidden = [
            one.covers(line, code) for one in self.directives
        ]  # every matching directive counts as used
        return self.whole or any(hidden)

    def visible(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Yield the findings that no comment hides, then what is wrong with the comments."""
        if self.whole:
            return
        for finding in findings:
            if not (self.directives and self.covers(finding.range.start.line, finding.code)):
                yield finding
        yield from self.malformed
        if not self.broken:
            yield from self._unused()

    def _unused(self) -> Iterator[Finding]:
        for one in self.directives:
            if one.codes is None:
                idle = [] if one.used else [""]
            else:
                # Only a search for hazards can show whether one matched.
                idle = sorted(c for c in one.codes - one.used if c not in HAZARDS)
            if idle:
                what = f"no {', '.join(idle)}" if idle[0] else "nothing"
                yield Finding(
                    code=UNUSED,
                    severity=Severity.HINT,
                    message=f"there is {what} to ignore here; remove this from the comment",
                    range=one.range,
                )


def suppressions(analysis: Analysis) -> Suppressions:
    """Return the comments to Torchferry in a program."""
    result = Suppressions(broken=analysis.parsed.error is not None)
    if _MARK not in analysis.text:
        return result
    lines = analysis.lines
    texts = [lines.line(number) for number in range(len(lines))]
    statement: dict[int, tuple[int, int]] = {}
    for logical in logical_lines(texts):
        part = texts[logical.start : logical.stop]
        if any(_MARK in text for text in part):
            for number in range(logical.start, logical.stop):
                statement[number] = (logical.start, logical.stop - 1)
    reading = Reading([])
    for number, text in enumerate(texts):
        if _MARK not in text and number not in statement:
            continue
        if number not in statement or statement[number][0] == number:
            reading = Reading([])
        reading.read(text)
        if _MARK not in text or reading.quote:
            continue
        comment = _COMMENT.search(text, len(reading.code))
        if comment is not None:
            _read(result, lines, number, comment, statement.get(number))
    return result


def _read(
    result: Suppressions,
    lines: Lines,
    number: int,
    comment: re.Match[str],
    statement: tuple[int, int] | None,
) -> None:
    start = lines.start(number)
    end = start + len(lines.line(number)[: comment.end()].rstrip())
    place = lines.range(start + comment.start(), end)

    def wrong(message: str) -> None:
        result.malformed.append(
            Finding(code=MALFORMED, severity=Severity.HINT, message=message, range=place)
        )

    order = _ORDER.match(comment["order"])
    if order is None:
        wrong("write `# torchferry: ignore[TF201]`, or `# torchferry: ignore-file` for the file")
        return
    codes: frozenset[str] | None = None
    if order["codes"] is not None:
        codes = frozenset(code.strip() for code in order["codes"].split(",") if code.strip())
        bad = sorted(code for code in codes if not _CODE.match(code))
        if bad or not codes:
            known = f"{', '.join(bad)}: no such code" if bad else "no code between the brackets"
            wrong(f"{known}; codes read like TF201, several with commas between them")
            codes -= set(bad)
            if not codes:
                return
    if order["file"]:
        result.whole = result.whole or codes is None
        if codes is not None:
            result.directives.append(Directive(place, 0, len(lines), codes))
    elif statement is None:
        wrong("this comment applies to no statement; put it at the end of the statement's line")
    else:
        result.directives.append(Directive(place, *statement, codes))
