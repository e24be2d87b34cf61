"""Findings of a check in the terminal: each finding, the number per code, the total."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import click

from workbench.codes import CODES, REFUSED
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
    """Return one finding with the place where it is."""
    severity = Severity(row.severity)
    label = click.style(f"{severity.value} {row.code}", **_COLOURS[severity])  # type: ignore[arg-type]
    return f"{visible(file)}:{row.place}: {label} {visible(row.message)}"


def folded(rows: Sequence[Row]) -> list[Row]:
    """Return the findings of a file, with one for all uses of a class that is refused as a whole.

    A file may call one refused writer or profiler hundreds of times, and there is one thing to do.
    """
    refused = {_reason(row): row for row in reversed(rows) if row.code == REFUSED}
    result: list[Row] = []
    more: Counter[int] = Counter()
    for row in rows:
        whole = _whole(row, refused)
        if whole is None or whole is row:
            result.append(row)
        else:
            more[id(whole)] += 1
    return [_with_more(row, more[id(row)]) for row in result]


def _whole(row: Row, refused: Mapping[tuple[str, str], Row]) -> Row | None:
    """Return the first finding that refuses a use's class, or its owner's, for the same reason."""
    name, reason = _reason(row)
    owners = (name, name.rpartition(".")[0]) if row.code == REFUSED else ()
    classes = (one for one in owners if one.rpartition(".")[2][:1].isupper())
    return next((refused[one, reason] for one in classes if (one, reason) in refused), None)


def _reason(row: Row) -> tuple[str, str]:
    name = row.name or ""
    return name, row.message.removeprefix(f"{name}: ")


def _with_more(row: Row, count: int) -> Row:
    if not count:
        return row
    return replace(row, message=f"{row.message} ({amount(count, 'more use')} in this file)")


def by_code(found: Sequence[FileResult]) -> list[tuple[str, int]]:
    """Return the number of findings of each code, commonest first."""
    return Report("", "", list(found)).by_code()


def statistics_lines(found: Sequence[FileResult]) -> Iterator[str]:
    """Yield the same in words."""
    rows = [(f"{count:,}", code) for code, count in by_code(found)]
    width = max((len(count) for count, _ in rows), default=0)
    for count, code in rows:
        yield f"{count:>{width}}  {code}  {CODES[code].meaning}"


def statistics_json(found: Sequence[FileResult]) -> str:
    """Return the same as JSON."""
    rows = [
        {"code": code, "count": count, "meaning": CODES[code].meaning}
        for code, count in by_code(found)
    ]
    return json.dumps(rows, indent=2)


def summary(found: Sequence[FileResult], hints: bool = True) -> str:
    """Summarize a check in one line; without `hints`, say how to see them."""
    counts = Counter(Severity(row.severity) for file in found for row in file.rows)
    total = counts.total()
    if not found:
        return "No files to check."
    unread = sum(file.failure is not None for file in found)
    checked = amount(len(found) - unread, "file")
    lost = f" {amount(unread, 'file')} could not be read." if unread else ""
    if len(found) == unread:
        return lost.strip()
    if not total:
        return f"Nothing found in {checked}.{lost}"
    parts = [
        amount(counts[severity], word) for severity, word in _WORDS.items() if counts[severity]
    ]
    with_any = sum(bool(file.rows) for file in found)
    where = checked if with_any == len(found) - unread else f"{with_any:,} of {checked}"
    some = any(len(folded(file.rows)) < len(file.rows) for file in found)
    hidden = (counts[Severity.HINT] or some) and not hints
    how = " --all prints them all." if hidden else ""
    return f"{amount(total, 'finding')} in {where}: {', '.join(parts)}.{lost}{how}"


def amount(count: int, word: str) -> str:
    """Return a count with its noun: `1 file`, `1,200 files`."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"
