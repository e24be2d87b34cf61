"""Reports as files: JSON, SARIF, or one page of HTML."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from workbench import files
from workbench.convert.report.report import Report
from workbench.convert.report.sarif import sarif
from workbench.version import __version__

KINDS = (".json", ".sarif", ".html")


def write_report(report: Report, place: Path) -> None:
    """Write a report, in the format of the name's suffix.

    Raises:
        TorchferryError: it cannot be written.
    """
    if place.suffix == ".html":
        from workbench.convert.report.report_html import page

        text = page(report)
    else:
        data = as_json(report) if place.suffix == ".json" else sarif(report)
        text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    files.write(place, text.encode("utf-8", "backslashreplace"))


def as_json(report: Report) -> dict[str, Any]:
    """Return the whole report: totals, then every file with every finding."""
    return {
        "torchferry": __version__,
        "root": report.root,
        "target": report.target,
        "seconds": round(report.seconds, 3),
        "uses": report.total("uses"),
        "converted_uses": report.total("converted_uses"),
        "ignored": report.total("ignored"),
        "share": report.share,
        "findings_by_code": dict(report.by_code()),
        "helper_modules": report.helper_modules,
        "kept_helpers": report.kept_helpers,
        "exit_code": report.exit_code,
        "files": [
            {name: value for name, value in file.as_json().items() if name not in {"full", "diff"}}
            for file in report.files
        ],
    }
