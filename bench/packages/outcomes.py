"""Outcomes of recipes: the same, reported, or neither."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from bench.packages.recipes import Package, Recipe
from workbench.codes import EXACT, REFUSED
from workbench.convert.report.report import Report

JUDGED = Path(__file__).with_name("judged.txt")


class Outcome(StrEnum):
    """Outcome of a recipe."""

    SAME = "same"
    REPORTED = "reported"  # another result or an error, at a line that the converter named
    REFUSED = "refused"  # an error at a use that the converter left as it was, with a reason
    RAISES = "raises unreported"
    WRONG = "silently wrong"
    LEFT_OUT = "left out"  # torch itself does not run it, or it draws random numbers


@dataclass(frozen=True)
class Row:
    """A recipe with its outcome, and the words for it."""

    package: str
    recipe: Recipe
    outcome: Outcome
    words: str = ""


def rows(
    package: Package,
    in_torch: list[dict[str, Any]],
    found: list[dict[str, Any]],
    reports: Reports,
) -> list[Row]:
    """Return the outcome of each recipe of a package."""
    return [
        Row(package.name, recipe, *_outcome(package, recipe, original, one, reports))
        for recipe, original, one in zip(package.recipes, in_torch, found, strict=True)
    ]


class Reports:
    """Remarks of a converter on lines of the code that it wrote."""

    def __init__(self, code: Path, report: Report | None = None, judged: str = "") -> None:
        self._code = code
        self._judged = [line.split(" | ") for line in judged.splitlines() if " | " in line]
        self._found: dict[str, list[Any]] = {}
        self.helpers: set[str] = set()
        if report is not None:
            self._found = {file.path: file.rows for file in report.files}
            self.helpers = set(report.helper_modules)

    def of_line(self, path: str, first: int, last: int) -> list[tuple[bool, str]]:
        """Return the remarks on lines of the converted code, each with whether it is a refusal."""
        lines = (self._code / path).read_text(encoding="utf-8").splitlines()[first - 1 : last]
        words = {line.strip() for line in lines if len(line.strip()) > 3}
        return [
            (row.severity == "error", f"{path}:{row.line} {row.code} {row.message}")
            for row in self._found.get(path, [])
            if row.code != EXACT and words & {line.strip() for line in row.after.splitlines()}
        ]

    def says(self, code: str) -> bool:
        """Return whether it reported a code anywhere; True for PaConvert, which has no codes."""
        return not self._found or any(
            row.code == code for rows in self._found.values() for row in rows
        )

    def judged(self, package: Package, recipe: Recipe) -> str:
        """Return the finding that explains a difference, if a person has recorded it."""
        for name, of, place in self._judged:
            path, _, rest = place.partition(":")
            line, _, code = rest.partition(" ")
            if name == package.name and re.fullmatch(of.strip(), recipe.name):
                for row in self._found.get(path, []):
                    if row.line == int(line) and row.code == code.strip():
                        return f"{path}:{row.line} {row.code} {row.message}"
        return ""


def _outcome(
    package: Package,
    recipe: Recipe,
    original: dict[str, Any],
    found: dict[str, Any],
    reports: Reports,
) -> tuple[Outcome, str]:
    for word in ("raised", "left out"):
        if word in original:
            place = _place(original.get("frames", []))
            return Outcome.LEFT_OUT, f"in torch: {original[word]}{place}"
    if "raised" in found:
        outcome, words = _raised(found, reports)
        reported = reports.judged(package, recipe) if outcome is Outcome.RAISES else ""
        judged = Outcome.REFUSED if REFUSED in reported else Outcome.REPORTED
        return (judged, f"{words}; {reported}") if reported else (outcome, words)
    draws = [one for one in found["unlike"] if one.startswith("draw of ")]
    wrong = found["differences"] + [one for one in found["unlike"] if one not in draws]
    if draws and not reports.says("TF110"):
        wrong += draws
    if not wrong:
        return Outcome.SAME, ""
    reported = reports.judged(package, recipe)
    if reported:
        return Outcome.REPORTED, f"{wrong[0]}; {reported}"
    return Outcome.WRONG, "; ".join(wrong[:3])


def _raised(found: dict[str, Any], reports: Reports) -> tuple[Outcome, str]:
    frames = [one for one in found["frames"] if one[0] not in reports.helpers]
    words = found["raised"] + _place(frames)
    if frames:
        path, first, last, _ = frames[-1]
        reported = reports.of_line(path, first, last or first)
        if reported:
            refused = any(refusal for refusal, _ in reported)
            return (Outcome.REFUSED if refused else Outcome.REPORTED), f"{words}; {reported[0][1]}"
    return Outcome.RAISES, words


def _place(frames: Iterable[list[Any]]) -> str:
    found = list(frames)
    return f" at {found[-1][0]}:{found[-1][1]} `{found[-1][3]}`" if found else ""
