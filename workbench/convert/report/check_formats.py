"""Findings of a check in formats for other programs.

JSON has every finding. The others are for people who look for problems, and omit exact conversions.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from xml.etree import ElementTree

from workbench.codes import CODES
from workbench.convert.report.report import FileResult, Report, Row
from workbench.convert.report.sarif import sarif
from workbench.findings import Severity
from workbench.terminal import visible

_GITHUB = {
    Severity.HINT: "notice",
    Severity.INFORMATION: "notice",
    Severity.WARNING: "warning",
    Severity.ERROR: "error",
}
_GITLAB = {
    Severity.HINT: "info",
    Severity.INFORMATION: "info",
    Severity.WARNING: "minor",
    Severity.ERROR: "major",
}


def as_json(found: Sequence[FileResult]) -> str:
    """Return every finding, in one list."""
    rows = [
        {"file": file.path, **row.as_finding(), "text": row.before}
        for file in found
        for row in file.rows
    ]
    return json.dumps(rows, indent=2)


def from_json(text: str | bytes) -> list[FileResult]:
    """Return the files with findings that `as_json` was written of.

    Raises:
        ValueError: it was written of none.
    """
    files: dict[str, FileResult] = {}
    rows = json.loads(text)
    if not isinstance(rows, list):
        raise ValueError("not a list of findings")
    try:
        for values in rows:
            path, line = str(values.pop("file")), str(values.pop("text"))
            row = Row(**values, before=line, after=line)
            files.setdefault(path, FileResult(path)).rows.append(row)
            if row.code not in CODES or row.severity not in list(Severity):
                raise ValueError(f"not a finding of this version: {row.code}, {row.severity}")
    except (TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from error
    return [files[path] for path in sorted(files)]


def as_sarif(found: Sequence[FileResult], target: str) -> str:
    """Return SARIF 2.1.0 for code-scanning pages; paths are relative to the working folder."""
    report = Report(".", target, [replace(file, path=_path(file)) for file in found])
    return json.dumps(sarif(report), indent=2)


def as_github(found: Sequence[FileResult]) -> str:
    """Return commands that GitHub's runner shows as annotations of the lines."""
    lines = []
    for file in found:
        for row in _shown(file):
            place = {"title": f"Torchferry ({row.code})", "file": _path(file)}
            if row.cell is None:  # lines of a cell are not lines of its notebook
                place |= {"line": str(row.line), "col": str(row.column)}
                place |= {"endLine": str(row.end_line), "endColumn": str(row.end_column)}
            fields = ",".join(f"{name}={_escaped(text, ':,')}" for name, text in place.items())
            level = _GITHUB[Severity(row.severity)]
            lines.append(f"::{level} {fields}::{_escaped(_line(file, row))}")
        if file.failure:
            lines.append(f"::error file={_escaped(_path(file), ':,')}::{_escaped(file.failure)}")
    return "\n".join(lines)


def _escaped(text: str, more: str = "") -> str:
    return "".join(f"%{ord(sign):02X}" if sign in f"%\r\n{more}" else sign for sign in text)


def as_gitlab(found: Sequence[FileResult]) -> str:
    """Return a code quality report for GitLab."""
    seen: Counter[str] = Counter()
    entries = []
    for file in found:
        for row in _shown(file):
            # A text that stays the same if lines move; a counter distinguishes equal ones.
            about = f"{_path(file)} {row.code} {row.name} {row.before.strip()}"
            seen[about] += 1
            fingerprint = hashlib.sha256(f"{about} {seen[about]}".encode()).hexdigest()
            entries.append(
                {
                    "check_name": row.code,
                    "description": f"{row.code}: {row.message}",
                    "severity": _GITLAB[Severity(row.severity)],
                    "fingerprint": fingerprint,
                    "location": {
                        "path": _path(file),
                        "lines": {"begin": row.line if row.cell is None else 1},
                    },
                }
            )
    return json.dumps(entries, indent=2)


def as_junit(found: Sequence[FileResult]) -> str:
    """Return JUnit's XML: a suite for each file, in which an error is a failed test."""
    root = ElementTree.Element("testsuites", name="torchferry")
    for file in found:
        errors = [row for row in file.rows if row.severity == Severity.ERROR]
        suite = ElementTree.SubElement(root, "testsuite", name=visible(_path(file)))
        suite.set("tests", str(max(len(errors), 1)))
        suite.set("failures", str(len(errors)))
        suite.set("errors", str(int(bool(file.failure))))
        for row in errors:
            case = _case(suite, file, f"{row.code} {row.place}")
            failure = ElementTree.SubElement(case, "failure", message=visible(row.message))
            failure.text = visible(_line(file, row))
        if not errors:
            case = _case(suite, file, "torchferry")
            if file.failure:
                ElementTree.SubElement(case, "error", message=visible(file.failure))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def _case(suite: ElementTree.Element, file: FileResult, name: str) -> ElementTree.Element:
    names = {"name": name, "classname": visible(_path(file)), "file": visible(_path(file))}
    return ElementTree.SubElement(suite, "testcase", names)


def _shown(file: FileResult) -> list[Row]:
    return [row for row in file.rows if row.asks]


def _line(file: FileResult, row: Row) -> str:
    return f"{_path(file)}:{row.place}: {row.code} {row.message}"


def _path(file: FileResult) -> str:
    """Return a file's path from the working folder, which is where such programs look from."""
    path = PurePath(file.path)
    here = Path.cwd()
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()


FORMATS: Mapping[str, Callable[[Sequence[FileResult]], str]] = {
    "json": as_json,
    "github": as_github,
    "gitlab": as_gitlab,
    "junit": as_junit,
}
