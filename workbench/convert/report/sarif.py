"""A conversion's report as SARIF 2.1.0, which code-scanning pages show next to the code.

Exact conversions are omitted, since such a page presents every result as a problem.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from workbench.codes import CODES
from workbench.convert.report.report import FileResult, Report, Row
from workbench.findings import Severity
from workbench.version import __version__

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
BASE = "%SRCROOT%"
_LEVELS = {
    Severity.HINT: "note",
    Severity.INFORMATION: "note",
    Severity.WARNING: "warning",
    Severity.ERROR: "error",
}


def sarif(report: Report) -> dict[str, Any]:
    """Return the report as a SARIF log of one run."""
    shown = [(file, row) for file, row in report.rows() if row.asks]
    codes = sorted({row.code for _, row in shown})
    base, inside = _base(report)
    notifications = [
        {
            "level": "error",
            "message": {"text": file.failure},
            "locations": [{"physicalLocation": _artifact(inside, file)}],
        }
        for file in report.failures()
    ]
    return sarif_log(
        base,
        {code: CODES[code].meaning for code in codes},
        [_result(inside, file, row, codes.index(row.code)) for file, row in shown],
        notifications,
    )


def sarif_log(
    base: Path,
    rules: Mapping[str, str],
    results: list[dict[str, Any]],
    notifications: list[dict[str, Any]],
) -> dict[str, Any]:
    """Return a log of one run.

    Args:
        base: the folder that places are seen from.
        rules: by code, what results of it mean.
        results: as SARIF has them.
        notifications: what kept the run from doing its work.
    """
    driver = {
        "name": "Torchferry",
        "semanticVersion": __version__,
        "rules": [{"id": code, "shortDescription": {"text": text}} for code, text in rules.items()],
    }
    invocation = {
        "executionSuccessful": not notifications,
        "toolExecutionNotifications": notifications,
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {BASE: {"uri": f"{base.as_uri()}/"}},
        "invocations": [invocation],
        "results": results,
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _base(report: Report) -> tuple[Path, PurePosixPath]:
    """Return the folder that paths are seen from, and where in it the converted files are.

    A code-scanning page wants paths from the repository's root, where commands are mostly run.
    """
    root = Path(report.root).resolve()
    root = root.parent if report.single else root
    here = Path.cwd().resolve()
    if not root.is_relative_to(here):
        here = root
    return here, PurePosixPath(root.relative_to(here).as_posix())


def _artifact(inside: PurePosixPath, file: FileResult) -> dict[str, Any]:
    return {"artifactLocation": {"uri": quote(str(inside / file.path)), "uriBaseId": BASE}}


def _result(inside: PurePosixPath, file: FileResult, row: Row, index: int) -> dict[str, Any]:
    where = _artifact(inside, file)
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
        # Lines of a notebook's file are not lines of its cells.
        message = f"cell {row.cell}, line {row.line}: {message}"
    return {
        "ruleId": row.code,
        "ruleIndex": index,
        "level": _LEVELS[Severity(row.severity)],
        "message": {"text": message},
        "locations": [{"physicalLocation": where}],
        "properties": {"before": row.before, "after": row.after, "certainty": row.certainty},
    }
