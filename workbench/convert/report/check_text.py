"""What a check found, in the terminal: the findings, how many there are of each code, the sum."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence

import click

from workbench.codes import CODES
from workbench.convert.report.report import FileResult, Report, Row
from workbench.findings import Severity
from workbench.terminal import visible

_COLOURS = {
    Severity.HINT: {"dim": True},
    Severity.INFORMATION: {"fg": "cyan"},
    Severity.WARNING: {"fg": "yellow"},
    Severity.ERROR: {"fg": "red"},
}
_WORDS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "note",
    Severity.HINT: "hint",
}


def finding_line(file: str, row: Row) -> str:
    """One finding with the place where it is."""
    severity = Severity(row.severity)
    label = click.style(f"{severity.value} {row.code}", **_COLOURS[severity])  # type: ignore[arg-type]
    return f"{visible(file)}:{row.place}: {label} {visible(row.message)}"


def by_code(found: Sequence[FileResult]) -> list[tuple[str, int]]:
    """How many findings each code has, commonest first."""
    return Report("", "", list(found)).by_code()


def statistics_lines(found: Sequence[FileResult]) -> Iterator[str]:
    """The same in words."""
    rows = [(f"{count:,}", code) for code, count in by_code(found)]
    width = max((len(count) for count, _ in rows), default=0)
    for count, code in rows:
        yield f"{count:>{width}}  {code}  {CODES[code].meaning}"


def statistics_json(found: Sequence[FileResult]) -> str:
    """The same as JSON."""
    rows = [
        {"code": code, "count": count, "meaning": CODES[code].meaning}
        for code, count in by_code(found)
    ]
    return json.dumps(rows, indent=2)


def summary(found: Sequence[FileResult], hints: bool = True) -> str:
    """Sum up a check in one line; without `hints`, say how to see them."""
    counts = Counter(Severity(row.severity) for file in found for row in file.rows)
    total = counts.total()
    if not found:
        return "No files to check."
    checked = amount(len(found), "file")
    if not total:
        return f"Nothing found in {checked}."
    parts = [
        amount(counts[severity], word) for severity, word in _WORDS.items() if counts[severity]
    ]
    with_any = sum(bool(file.rows) for file in found)
    where = checked if with_any == len(found) else f"{with_any:,} of {checked}"
    hidden = counts[Severity.HINT] and not hints
    how = " --all prints the hints." if hidden else ""
    return f"{amount(total, 'finding')} in {where}: {', '.join(parts)}.{how}"


def amount(count: int, word: str) -> str:
    """So many of something: `1 file`, `1,200 files`."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"
