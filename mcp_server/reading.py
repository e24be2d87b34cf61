"""Tools that read: the conversion of a file, a name, a finding. They run no code."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from mcp_server.roots import Given, Roots
from workbench import files
from workbench.codes import CODES
from workbench.convert.configuration.code_selection import nearest
from workbench.convert.configuration.settings import Settings, settings_for
from workbench.convert.project.check_run import check_path
from workbench.convert.project.file_job import Order, convert_bytes, with_deep_stack
from workbench.convert.project.runner import convert_path
from workbench.convert.report.report import FileResult, Row
from workbench.errors import TorchferryError
from workbench.findings import Severity
from workbench.proof.recording.facts import proof_of, signatures_of
from workbench.proof.recording.record import entry_of
from workbench.targets import DEFAULT, load

Style = Literal["plain", "exact"]
_MOST = 50  # findings in one answer


def check(
    path: str, roots: Given, style: Style = "plain", exact_too: bool = False
) -> dict[str, Any]:
    """Report every use of torch in a file or folder, and how it converts to PaddlePaddle.

    Reads files; runs and writes nothing. Lists the uses that need attention (differences, refusals,
    hazards) with their lines; `exact_too` also lists the uses that convert exactly.
    """
    place = roots.existing(path)
    order = Order(DEFAULT, _settings(place, roots, style))
    unread: list[str] = []
    run = check_path(place, order, lambda _, message: unread.append(message), workers=1)
    unread += [file.failure for file in run.found if file.failure]
    return roots.near({**_summary(run.found, exact_too), "unread": unread})


def convert(path: str, roots: Given, style: Style = "plain", output: str = "") -> dict[str, Any]:
    """Convert torch code to PaddlePaddle; list the unconverted uses and the differences.

    Runs nothing. `plain` is what an expert of Paddle would write, and small differences are
    reported; `exact` follows torch in every edge case, with helpers. Without `output` the answer
    has the code and nothing is written; with it, the file or the whole folder is written there.
    """
    place = roots.existing(path)
    settings = _settings(place, roots, style)
    if output:
        aim = roots.path(output)
        aim = aim / place.name if aim.is_dir() and place.is_file() else aim
        if aim.is_file():
            raise TorchferryError(f"{output}: this file exists; give another path")
        order = Order(settings.target, settings, helpers=settings.helpers)
        report = convert_path(place, aim, order, workers=1)
        answer = _summary(report.files) | {"output": output, "helpers": report.helper_modules}
        return roots.near(answer | {"unread": [str(file.failure) for file in report.failures()]})
    if place.is_dir():
        raise TorchferryError(f"{path}: a folder; give the folder to write as `output`")
    data = files.read(place)
    code, result = with_deep_stack(lambda: convert_bytes(data, place, settings))
    return {**roots.near(_summary([result])), "code": code.decode("utf-8", "replace")}


def look_up(name: str) -> dict[str, Any]:
    """Explain how a name of torch converts to PaddlePaddle: its forms, differences and proof.

    `name` is complete: torch.nn.functional.gelu, torch.Tensor.scatter_add_, torch.nn.Linear.
    """
    target = load(DEFAULT)
    entry = target.facts.get(name)
    if entry is None:
        near = difflib.get_close_matches(name, target.facts.names, n=5)
        others = f"; near it: {', '.join(near)}" if near else ""
        raise TorchferryError(
            f"torch has no {name}{others}; give the full name, such as torch.nn.Linear"
        )
    canonical = entry.alias_of or entry.name
    rule = target.rules.find(canonical)
    proof = entry_of(canonical, target.name)
    answer = {
        "name": canonical,
        "signatures": signatures_of(name, target.facts),
        "converts": rule is not None and rule.refusal is None,
        "plain": proof.plain.written if proof else [],
        "differs": {code: _words(code) for code in proof.plain.differs} if proof else {},
        "proof": proof_of(name, target) or "",
    }
    if rule is None:
        return answer
    refused = rule.refusal
    return answer | {
        "exact": list(rule.templates),
        "refused": refused.reason if refused else "",
        "instead": (refused.instead or "") if refused else "",
        "ignored": dict(rule.ignored),
        "remarks": [remark for remark in (rule.caveat, rule.note) if remark],
    }


def explain(code: str) -> dict[str, Any]:
    """Explain the code of a finding, such as TF110 or TF200, and what to do about it."""
    known = CODES.get(code.upper())
    if known is None:
        raise TorchferryError(f"{code}: no such code; {nearest(code)}")
    return {"code": code.upper(), "severity": known.severity, "meaning": _words(code.upper())}


def explain_line(path: str, line: int, roots: Given, style: Style = "plain") -> dict[str, Any]:
    """Explain the uses of torch in one line: the converted lines, the reasons and the proof."""
    place = roots.existing(path)
    settings = _settings(place, roots, style)
    _, result = with_deep_stack(lambda: convert_bytes(files.read(place), place, settings))
    rows = [row for row in result.rows if row.line <= line <= row.end_line]
    target = load(DEFAULT)
    return roots.near(
        {
            "findings": [
                {
                    **_finding(place, row),
                    "meaning": _words(row.code),
                    "before": row.before,
                    "after": row.after,
                    "proof": (row.name and proof_of(row.name, target)) or "",
                }
                for row in rows
            ]
        }
    )


def _settings(place: Path, roots: Roots, style: Style) -> Settings:
    """Return the project's settings without its own rules, which are code."""
    settings = settings_for(place)
    if settings.file is not None and not roots.holds(settings.file.resolve()):
        settings = Settings()
    return settings.but(style=style)


def _summary(found: Iterable[FileResult], exact_too: bool = False) -> dict[str, Any]:
    """Return the findings of files, those first that keep code from being converted."""
    rows = [(Path(file.path), row) for file in found for row in file.rows]
    shown = [(path, row) for path, row in rows if exact_too or row.asks]
    shown.sort(key=lambda pair: pair[1].severity != Severity.ERROR)
    counts = Counter(row.code for _, row in rows)
    return {
        "counts": dict(sorted(counts.items())),
        "remaining": sum(row.severity == Severity.ERROR for _, row in rows),
        "findings": [_finding(path, row) for path, row in shown[:_MOST]],
        "left_off": max(0, len(shown) - _MOST),
    }


def _finding(path: Path, row: Row) -> dict[str, Any]:
    return {
        "place": f"{path}:{row.place}",
        "code": row.code,
        "severity": row.severity,
        "name": row.name or "",
        "becomes": row.target or "",
        "message": row.message,
    }


def _short(code: str) -> str:
    return CODES[code].words.format(target=load(DEFAULT).title)


def _words(code: str) -> str:
    advice = CODES[code].advice.format(target=load(DEFAULT).title)
    return f"{_short(code)}; {advice}" if advice else _short(code)
