"""A verification as SARIF 2.1.0, which code-scanning pages show at the lines of the port."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

from workbench.convert.report.sarif import BASE, sarif_log
from workbench.verify.result import Outcome, Verification, Where

_RULES = {
    "verify/differs": "A port gives other results than its original",
    "verify/not-run": "A check of a port could not be run",
}


def sarif(found: Verification, port: str) -> dict[str, Any]:
    """Return the verification as a SARIF log of one run.

    Args:
        found: the verification.
        port: the port, named as `FILE:NAME`; results without a line are reported at its file.
    """
    file = port.partition("(")[0].rpartition(":")[0]
    results = [_result(0, where.cause or where.what, where) for where in found.places]
    nowhere = Where(f"{file}:1")
    for check in found.checks:
        text = f"{check.name}: {check.summary}"
        if check.outcome is Outcome.SKIPPED:
            results.append(_result(1, text, nowhere))
        elif check.outcome is Outcome.DIFFERS and not check.places:
            results.append(_result(0, text, nowhere))
    return sarif_log(Path.cwd(), _RULES, results, [])


def _result(rule: int, text: str, where: Where) -> dict[str, Any]:
    result = {
        "ruleId": list(_RULES)[rule],
        "ruleIndex": rule,
        "level": "error",
        "message": {"text": text + (", and with that changed both sides agree" * where.tested)},
        "locations": [{"physicalLocation": _place(where.port)}],
    }
    if where.original:
        original = {"message": {"text": "in the original"}}
        result["relatedLocations"] = [{"physicalLocation": _place(where.original), **original}]
    return result


def _place(place: str) -> dict[str, Any]:
    file, _, line = place.rpartition(":")
    path, here = Path(file).resolve(), Path.cwd().resolve()
    artifact = {"uri": path.as_uri()}
    if path.is_relative_to(here):
        artifact = {"uri": quote(path.relative_to(here).as_posix()), "uriBaseId": BASE}
    return {"artifactLocation": artifact, "region": {"startLine": int(line)}}
