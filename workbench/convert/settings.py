"""What a project chose, in `[tool.torchferry]` of its pyproject.toml.

[tool.torchferry]
target = "paddle==3.3"
exclude = ["third_party", "tests/**/golden_*.py"]
rules = "tools/torchferry_rules.py"

[tool.torchferry.severities]
TF300 = "off"
TF102 = "error"
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from workbench.convert import findings, suppress
from workbench.errors import TorchferryError
from workbench.findings import Finding, Severity
from workbench.targets import NAMES, load

FILE = "pyproject.toml"
OFF = "off"
MODULE, INLINE = "module", "inline"
_KEYS = ("target", "version", "exclude", "severities", "helpers", "rules")
_CODE = re.compile(r"TF4\d\d$")


@dataclass(frozen=True)
class Settings:
    """The settings of a project; the defaults where it chose nothing.

    Attributes:
        target: the framework to convert to, with a version where one is named.
        exclude: globs of files and folders that stay as they are, seen from the file's folder.
        severities: by code, how severe its findings are; None hides them.
        helpers: where helper functions go, of MODULE and INLINE; None for what fits best.
        rules: the module of the project's own rules, which reading the settings does not run.
        file: the pyproject.toml that they were read from.
    """

    target: str = NAMES[0]
    exclude: tuple[str, ...] = ()
    severities: Mapping[str, Severity | None] = field(default_factory=dict)
    helpers: str | None = None
    rules: Path | None = None
    file: Path | None = None

    def excludes(self, path: Path) -> bool:
        """True for a file or folder that a glob names, or that lies in a folder that one names."""
        if not self.exclude or self.file is None:
            return False
        try:
            # The path as it is called, even where it is a link.
            place = Path(os.path.realpath(path.parent), path.name)
            relative = place.relative_to(os.path.realpath(self.file.parent))
        except ValueError:
            return False
        names = relative.parts
        places = ["/".join(names[:count]) for count in range(1, len(names) + 1)]
        return any(_glob(glob).match(place) for glob in self.exclude for place in places)

    def judged(self, found: Iterable[Finding]) -> Iterator[Finding]:
        """The findings with the severities that the project chose, without those it turned off."""
        for finding in found:
            severity = self.severities.get(finding.code, finding.severity)
            if severity is not None:
                finding.severity = severity
                yield finding


def settings_for(path: Path) -> Settings:
    """The settings that hold for a file or folder: those of the nearest pyproject.toml with any.

    Raises:
        TorchferryError: that file cannot be read, or holds a setting that there is not.
    """
    path = path.resolve()
    for folder in ([path] if path.is_dir() else []) + list(path.parents):
        file = folder / FILE
        if file.is_file():
            found = read_settings(file)
            if found is not None:
                return found
    return Settings()


def read_settings(file: Path) -> Settings | None:
    """The settings in a pyproject.toml; None where it has no table for Torchferry.

    Raises:
        TorchferryError: it cannot be read, or holds a setting that there is not.
    """
    try:
        data = file.read_bytes()
        if b"torchferry" not in data:
            return None
        tables = tomllib.loads(data.decode("utf-8"))
    except OSError as error:
        raise TorchferryError(f"{file}: {error.strerror}; check the path and its rights") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TorchferryError(
            f"{file}: not valid TOML ({error}); mend it, then try again"
        ) from error
    tool = tables.get("tool", {})
    table = tool.get("torchferry") if isinstance(tool, dict) else None
    if table is None:
        return None

    def wrong(key: str, text: str) -> TorchferryError:
        return TorchferryError(f"{file}: [tool.torchferry] {key}: {text}")

    if not isinstance(table, dict):
        raise TorchferryError(f"{file}: tool.torchferry is no table; write [tool.torchferry]")
    for key in table:
        if key not in _KEYS:
            raise wrong(key, f"there is no such setting; write one of: {', '.join(_KEYS)}")
    return Settings(
        target=_target(table, wrong),
        exclude=_exclude(table, wrong),
        severities=_severities(table, wrong),
        helpers=_helpers(table, wrong),
        rules=_rules(table, file.parent, wrong),
        file=file,
    )


_Wrong = Callable[[str, str], TorchferryError]


def _target(table: Mapping[str, Any], wrong: _Wrong) -> str:
    target = table.get("target", NAMES[0])
    version = table.get("version")
    if not isinstance(target, str):
        raise wrong("target", f'write a name in quotes, such as "{NAMES[0]}"')
    if version is not None:
        if not isinstance(version, str):
            raise wrong("version", 'write it in quotes, such as "3.3"')
        if "==" in target:
            raise wrong("version", "the target names a version already; keep one of the two")
        target = f"{target}=={version}"
    try:
        load(target)
    except TorchferryError as error:
        raise wrong("target" if version is None else "version", str(error)) from error
    return target


def _exclude(table: Mapping[str, Any], wrong: _Wrong) -> tuple[str, ...]:
    exclude = table.get("exclude", [])
    if not isinstance(exclude, list) or not all(isinstance(glob, str) for glob in exclude):
        raise wrong("exclude", 'write a list of globs, such as ["third_party", "*_pb2.py"]')
    return tuple(exclude)


def _helpers(table: Mapping[str, Any], wrong: _Wrong) -> str | None:
    helpers = table.get("helpers")
    if helpers is not None and helpers not in (MODULE, INLINE):
        raise wrong("helpers", f'write "{MODULE}" or "{INLINE}"')
    return helpers


def _rules(table: Mapping[str, Any], folder: Path, wrong: _Wrong) -> Path | None:
    """The file of the project's own rules, named by its path or as a dotted module."""
    name = table.get("rules")
    if name is None:
        return None
    if not isinstance(name, str):
        raise wrong("rules", 'write a path or a module in quotes, as in "tools/rules.py"')
    places = [folder / name]
    if not name.endswith(".py"):
        inner = folder.joinpath(*name.split("."))
        places = [inner.with_name(f"{inner.name}.py"), inner / "__init__.py"]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise wrong(
            "rules",
            f"there is no {name} in {folder}; name a Python file by its path from there, or a"
            " module in dots",
        )
    return found


def _severities(table: Mapping[str, Any], wrong: _Wrong) -> dict[str, Severity | None]:
    chosen = table.get("severities", {})
    words = [*Severity, OFF]
    if not isinstance(chosen, dict):
        raise wrong("severities", 'write a table, such as severities = { TF300 = "off" }')
    result: dict[str, Severity | None] = {}
    for code, word in chosen.items():
        if code not in known_codes() and not _CODE.match(code):
            known = ", ".join(sorted(known_codes()))
            raise wrong(f"severities.{code}", f"there is no such code; write one of: {known}")
        if code == findings.SYNTAX:
            raise wrong(f"severities.{code}", "code that does not parse is always an error")
        if word not in words:
            raise wrong(f"severities.{code}", f"write one of: {', '.join(words)}")
        result[code] = None if word == OFF else Severity(word)
    return result


def known_codes() -> dict[str, str]:
    """Every code that a conversion reports, with its meaning."""
    return findings.MEANINGS | suppress.MEANINGS


@cache
def _glob(glob: str) -> re.Pattern[str]:
    """A glob as gitignore reads it: without a slash inside it counts at any depth."""
    body = glob.removeprefix("./").rstrip("/")
    text = "" if "/" in body else r"(?:.*/)?"
    body = body.removeprefix("/")
    at = 0
    while at < len(body):
        if body.startswith("**/", at):
            text, at = text + r"(?:[^/]+/)*", at + 3
        elif body.startswith("**", at):
            text, at = text + ".*", at + 2
        elif body[at] == "*":
            text, at = text + "[^/]*", at + 1
        elif body[at] == "?":
            text, at = text + "[^/]", at + 1
        else:
            text, at = text + re.escape(body[at]), at + 1
    return re.compile(text + r"\Z")
