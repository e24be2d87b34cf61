"""A conversion's report as SARIF 2.1.0, which code-scanning pages show beside the code.

What converts exactly is left out: on such a page every result asks for attention.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

from workbench import __version__
from workbench.convert.report import FileResult, Report, Row
from workbench.convert.settings import known_codes
from workbench.findings import Severity

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVELS = {
    Severity.HINT: "note",
    Severity.INFORMATION: "note",
    Severity.WARNING: "warning",
    Severity.ERROR: "error",
}


def sarif(report: Report) -> dict[str, Any]:
    """The report as a SARIF log of one run."""
    shown = [
        (file, row)
        for file, row in report.rows()
        if not (row.converts and row.severity == Severity.HINT)
    ]
    codes = sorted({row.code for _, row in shown})
    meanings = known_codes()
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "Torchferry",
                        "semanticVersion": __version__,
                        "rules": [
                            {
                                "id": code,
                                "shortDescription": {"text": meanings.get(code, code)},
                            }
                            for code in codes
                        ],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {
                    "PROJECT": {"uri": f"{_root(report).as_uri()}/"},
                },
                "invocations": [
                    {
                        "executionSuccessful": not report.failures(),
                        "toolExecutionNotifications": [
                            {
                                "level": "error",
                                "message": {"text": file.failure},
                                "locations": [{"physicalLocation": _artifact(file)}],
                            }
                            for file in report.failures()
                        ],
                    }
                ],
                "results": [_result(file, row, codes.index(row.code)) for file, row in shown],
            }
        ],
    }


def _root(report: Report) -> Path:
    root = Path(report.root).resolve()
    return root.parent if report.single else root


def _artifact(file: FileResult) -> dict[str, Any]:
    return {"artifactLocation": {"uri": quote(file.path), "uriBaseId": "PROJECT"}}


def _result(file: FileResult, row: Row, index: int) -> dict[str, Any]:
    where = _artifact(file)
    message = row.message
    if row.cell is None:
        where["region"] = {
            "startLine": row.line,
            "startColumn": row.column,
            "endLine": row.end_line,
            "endColumn": row.end_column,
            "snippet": {"text": row.before},
        }
    else:
        # Lines of a notebook's file are none of its cell's.
        message = f"cell {row.cell}, line {row.line}: {message}"
    return {
        "ruleId": row.code,
        "ruleIndex": index,
        "level": _LEVELS[Severity(row.severity)],
        "message": {"text": message},
        "locations": [{"physicalLocation": where}],
        "properties": {"before": row.before, "after": row.after, "certainty": row.certainty},
    }
