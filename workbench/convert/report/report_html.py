"""A conversion's report as one page of HTML that loads nothing from elsewhere.

The findings are in the page as data; its script shows a file's findings when the file is opened, so
that a page with tens of thousands of findings still opens at once.
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

from workbench.convert.report.report import FileResult, Report, Row
from workbench.findings import Severity
from workbench.targets import load
from workbench.version import __version__

_HERE = Path(__file__).parent
# Levels of findings on the page, mildest first.
_LEVELS = ("exact", "unsure", "noted", "caveats", "left")


def page(report: Report) -> str:
    """Return the report as HTML."""
    style = (_HERE / "report_page.css").read_text(encoding="utf-8")
    script = (_HERE / "report_page.js").read_text(encoding="utf-8")
    name = Path(report.root).resolve().name
    data = json.dumps(_data(report, name), ensure_ascii=False, separators=(",", ":"))
    # The data must not end the element that contains it.
    data = data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>{escape(name)} · Torchferry</title>
<style>
{style}</style>
</head>
<body>
<noscript>This report shows its findings with JavaScript; it contacts no other host.</noscript>
<main id="report"></main>
<script type="application/json" id="data">{data}</script>
<script>
{script}</script>
</body>
</html>
"""


def _level(row: Row) -> int:
    if row.severity == Severity.HINT:
        return 0 if row.converts else 1
    return [Severity.INFORMATION, Severity.WARNING, Severity.ERROR].index(
        Severity(row.severity)
    ) + 2


def _data(report: Report, name: str) -> dict[str, Any]:
    uses, converted = report.total("uses"), report.total("converted_uses")
    done = [row.severity for _, row in report.rows() if row.converts]
    level_of: dict[str, int] = {}
    for _, row in report.rows():
        level_of.setdefault(row.code, _level(row))
    target = load(report.target)
    return {
        "name": name,
        "version": __version__,
        "target": f"{target.title} {target.version}",
        "uses": uses,
        "converted": converted,
        "noted": done.count(Severity.INFORMATION),
        "caveats": done.count(Severity.WARNING),
        "ignored": report.total("ignored"),
        "lines": report.total("lines"),
        "seconds": round(report.seconds, 1),
        "converted_files": sum(file.converted for file in report.files),
        "share": report.shown_share,
        "levels": _LEVELS,
        "codes": [
            {
                "code": code,
                "count": count,
                "meaning": report.meaning_of(code),
                "level": level_of[code],
            }
            for code, count in report.by_code()
        ],
        "failures": [{"path": file.path, "message": file.failure} for file in report.failures()],
        "files": [_file(file) for file in report.files if file.rows],
    }


def _file(file: FileResult) -> dict[str, Any]:
    places: dict[tuple[int, int, int], list[Row]] = {}
    for row in file.rows:
        places.setdefault((row.cell or 0, row.line, row.end_line), []).append(row)
    return {
        "path": file.path,
        "uses": file.uses,
        "converted": file.converted_uses,
        "ignored": file.ignored,
        # cell, line, before, after, findings: each code, level, message, column, end column
        "places": [
            [
                cell,
                line,
                rows[0].before,
                rows[0].after,
                [
                    [
                        row.code,
                        _level(row),
                        row.message,
                        row.column - 1,
                        row.end_column - 1 if row.end_line == row.line else -1,
                    ]
                    for row in rows
                ],
            ]
            for (cell, line, _), rows in places.items()
        ],
    }
