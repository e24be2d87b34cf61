"""The dependencies of a project in its files: torch's packages are replaced by the target's.

Comments and layout stay. Versions of torch are not transferred. A package of torch's family that
converted code still imports stays next to the target's.
"""

from __future__ import annotations

import ast
import tomllib
from dataclasses import dataclass, field

from workbench import files
from workbench.codes import DEPENDENCY, DEPENDENCY_KEPT
from workbench.convert.dependencies.file_formats import Spot, index_lines, spots
from workbench.convert.dependencies.requirement import Family
from workbench.convert.rewrite.line_map import mapped_lines
from workbench.errors import TorchferryError
from workbench.findings import Edit, Finding, Severity, apply_edits
from workbench.positions import Lines


@dataclass(slots=True)
class DependencyConversion:
    """The new text of a file of dependencies, and remarks about it."""

    code: str
    edits: list[Edit] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    line_map: list[int] = field(default_factory=list)


def convert_dependencies(path: str, text: str, family: Family) -> DependencyConversion:
    """Convert a file of dependencies.

    Raises:
        TorchferryError: it does not parse.
    """
    _parsed(path, text, f"{path}: ")
    lines = Lines(text)
    result = DependencyConversion(text)
    written: set[tuple[str, str]] = set()
    for spot in spots(path, text, family):
        other = family.instead(spot.requirement.name) or ""
        again = (spot.group, other) in written
        written.add((spot.group, other))
        _rewrite(spot, other, again, family, lines, result)
    for start, end in index_lines(path, text):
        gone = not family.needed
        result.findings.append(
            Finding(
                code=DEPENDENCY if gone else DEPENDENCY_KEPT,
                severity=Severity.INFORMATION,
                message="this index has only torch's packages"
                + (
                    "; the line is removed"
                    if gone
                    else "; it stays, since the code still needs them"
                ),
                range=lines.range(start, end),
            )
        )
        if gone:
            last = lines.start(lines.position(end).line + 1)
            result.edits.append(
                Edit(lines.range(lines.start(lines.position(start).line), last), "")
            )
    result.code = apply_edits(text, result.edits)
    result.line_map = mapped_lines(text, result.edits)
    _parsed(path, result.code, f"{path}: the changed dependencies would not be read: ")
    return result


def _rewrite(
    spot: Spot,
    other: str,
    again: bool,
    family: Family,
    lines: Lines,
    result: DependencyConversion,
) -> None:
    name, spec = spot.requirement.name, spot.requirement.spec
    kept = name in family.needed
    if kept:
        message = f"{name} stays, since the code still needs it"
        message += "" if again else f"; {other} is added"
        if not again:
            at, before, after = spot.added
            new = f"{before}{spot.spell(other)}{after}"
            result.edits.append(Edit(lines.range(at, at), new))
    elif again:
        message = f"{name} is removed, since {other} replaces it"
        result.edits.append(Edit(lines.range(*spot.whole), ""))
    elif spot.moved:
        message = f"{name} becomes {other}"
        at, before, after = spot.added
        result.edits.append(Edit(lines.range(*spot.whole), ""))
        result.edits.append(Edit(lines.range(at, at), f"{before}{spot.spell(other)}{after}"))
    else:
        message = f"{name} becomes {other}"
        result.edits.append(Edit(lines.range(spot.start, spot.end), spot.spell(other)))
    if spec and not kept:
        message += f"; {spec} was about {name}"
    result.findings.append(
        Finding(
            code=DEPENDENCY_KEPT if kept else DEPENDENCY,
            severity=Severity.WARNING if kept else Severity.INFORMATION,
            message=message,
            range=lines.range(spot.start, spot.end),
            name=name,
            target=other,
        )
    )


def _parsed(path: str, text: str, about: str) -> None:
    """Raise if a file of a language with a grammar does not parse."""
    try:
        if path.endswith(".toml"):
            tomllib.loads(text)
        elif path.endswith(tuple(files.PYTHON)):
            ast.parse(text)
    except (tomllib.TOMLDecodeError, SyntaxError) as error:
        raise TorchferryError(f"{about}{error}; fix it, then convert again") from error
