"""The settings of a project, from `[tool.torchferry]` of its pyproject.toml.

[tool.torchferry]
target = "paddle==3.3"
style = "plain"
exclude = ["third_party", "tests/**/golden_*.py"]
ignore = ["TF110", "TF3"]
rules = "tools/torchferry_rules.py"

[tool.torchferry.per-file-ignores]
"tests/**" = ["TF2"]

[tool.torchferry.severities]
TF300 = "off"
TF102 = "error"

[tool.torchferry.models]
"model.py:Net" = { port = "ported/model.py:Net", inputs = ["2x3x32x32"] }
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from workbench import files
from workbench.codes import CAPTURE, CODES, SYNTAX
from workbench.convert.configuration import globs
from workbench.convert.configuration.code_selection import (
    EVERY_CODE,
    CodeSelection,
    known_codes,
    nearest,
)
from workbench.convert.configuration.keys import INLINE, KEYS, MODULE, OFF
from workbench.convert.configuration.models import Model, read_models
from workbench.errors import TorchferryError
from workbench.findings import Finding, Severity
from workbench.targets import DEFAULT, INITS, PLAIN, STYLES, TORCH, load

FILE = "pyproject.toml"
# The name of the table, and how it may be misspelt.
_NAME = re.compile(rb"torch[-_]?ferry", re.IGNORECASE)
_VERSION_CONTROL = (".git", ".hg", ".svn", ".jj", ".bzr")
_MOST_BYTES = 1_000_000
# Python's parser visits all parts of a dotted key, and of its table's, for each of them.
_MOST_STEPS = 20_000_000


class SettingError(TorchferryError):
    """A mistaken setting; `key` is the one that is wrong, empty for the table as a whole."""

    def __init__(self, message: str, key: str = "") -> None:
        super().__init__(message)
        self.key = key


@dataclass(frozen=True)
class Settings:
    """The settings of a project; the defaults where it chose nothing.

    Attributes:
        target: the framework to convert to, with a version where one is named.
        style: how code is written, of STYLES.
        init: whose distribution new weights follow, of INITS.
        exclude: globs of files and folders that stay as they are, seen from the file's folder.
        codes: those that are reported.
        file_ignores: globs of files as in `exclude`, each with codes that are not reported there.
        severities: by code, how severe its findings are; None hides them.
        examples: `check` reads code in docstrings and Markdown files as well.
        helpers: where helper functions go, of MODULE and INLINE; None for what fits best.
        rules: the module of the project's own rules, which reading the settings does not run.
        models: those that are compared, or held against their ports.
        file: the pyproject.toml that they were read from.
    """

    target: str = DEFAULT
    style: str = PLAIN
    init: str = TORCH
    exclude: tuple[str, ...] = ()
    codes: CodeSelection = EVERY_CODE
    file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    severities: Mapping[str, Severity | None] = field(default_factory=dict)
    examples: bool = False
    helpers: str | None = None
    rules: Path | None = None
    models: tuple[Model, ...] = ()
    file: Path | None = None

    def but(self, **chosen: str | None) -> Settings:
        """Return these settings with the given values for some fields."""
        given = {name: value for name, value in chosen.items() if value}
        return replace(self, **given)  # type: ignore[arg-type]

    def excludes(self, path: Path) -> bool:
        """Return whether a glob names a file or folder, or a folder that contains it."""
        return self._named(path, self.exclude)

    def _named(self, path: Path, patterns: Collection[str]) -> bool:
        if not patterns or self.file is None:
            return False
        try:
            # The path as the caller spells it, even if it is a link.
            place = Path(os.path.realpath(path.parent), path.name)
            relative = place.relative_to(os.path.realpath(self.file.parent))
        except ValueError:
            return False
        return any(globs.names(glob, relative.as_posix()) for glob in patterns)

    @property
    def reported(self) -> str:
        """A text that differs if the selected findings or the severities differ."""
        return repr((self.codes, self.file_ignores, sorted(self.severities.items())))

    def judged(self, found: Iterable[Finding], path: Path | None = None) -> Iterator[Finding]:
        """Yield the findings that the project wants to read, with the severities that it chose.

        Args:
            found: the findings of a text.
            path: its file, where it has one.
        """
        here = EVERY_CODE
        for glob, codes in self.file_ignores:
            if path is not None and self._named(path, (glob,)):
                here = here.but(ignore=codes)
        shown: dict[str, bool] = {}
        for finding in found:
            code = finding.code
            if code not in shown:
                shown[code] = code in self.codes and code in here
            severity = self.severities.get(code, finding.severity)
            if severity is None or not shown[code]:
                continue
            finding.severity = severity
            yield finding


def settings_for(path: Path, root: Path | None = None) -> Settings:
    """Return the settings for a file or folder, from the nearest pyproject.toml that has any.

    Rules are code: they count only up to the root of the project, since folders above it may belong
    to somebody else.

    Args:
        path: the file or folder.
        root: the folder that the user works in, if known: the root of a project without version
            control. The default is the folder itself, or the folder of the file.

    Raises:
        TorchferryError: the file cannot be read, or has an unknown setting.
    """
    try:
        path = path.resolve()
        folder = path if path.is_dir() else path.parent
        top = project_root(folder, root)
        for place in (folder, *folder.parents):
            if (place / FILE).is_file():
                found = read_settings(place / FILE, top)
                if found is not None:
                    return found
    except (OSError, ValueError, RuntimeError) as error:
        raise TorchferryError(f"{str(path)!r}: {_why(error)}; check the path") from error
    return Settings()


def project_root(folder: Path, given: Path | None = None) -> Path:
    """Return the root of a folder's project: of its version control, or the given one.

    The root is the folder itself if there is neither, or if the folder is outside the given one.
    """
    folder = folder.resolve()
    for place in (folder, *folder.parents):
        if any((place / name).exists() for name in _VERSION_CONTROL):
            return place
    top = folder if given is None else given.resolve()
    return top if folder.is_relative_to(top) else folder


def read_settings(file: Path, root: Path | None = None) -> Settings | None:
    """Return the settings in a pyproject.toml, or None if it has no table for Torchferry.

    Args:
        file: the pyproject.toml.
        root: the project's root, in which its rules lie; the file's folder where None. A file above
            it has no say in which rules run.

    Raises:
        TorchferryError: it cannot be read, or holds a setting that there is not.
    """
    try:
        data = _read(file)
        if _NAME.search(data) is None:
            return None
        tables = tomllib.loads(data.decode("utf-8"))
    except OSError as error:
        raise TorchferryError(
            f"{file}: {error.strerror}; check the path and its permissions"
        ) from error
    except RecursionError as error:
        raise TorchferryError(
            f"{file}: nested too deeply to be read; fix it, then try again"
        ) from error
    except ValueError as error:  # also for invalid numbers and dates
        raise TorchferryError(
            f"{file}: not valid TOML ({error}); fix it, then try again"
        ) from error
    return settings_in(tables, file, root)


def settings_in(tables: Mapping[str, Any], file: Path, root: Path | None = None) -> Settings | None:
    """Return the settings in the tables of a pyproject.toml; None where it has none.

    Raises:
        SettingError: it holds a setting that there is not, or a value that a setting has not.
    """
    tool = tables.get("tool", {})
    tool = tool if isinstance(tool, dict) else {}
    table = tool.get("torchferry")
    if table is None:
        for name in tool:
            if _NAME.fullmatch(name.encode()):
                raise SettingError(
                    f"{file}: [tool.{name}] is not read; did you mean [tool.torchferry]?"
                )
        return None

    def wrong(key: str, text: str) -> TorchferryError:
        message = " ".join(f"{key}: {text}".split())  # on one line, whatever it quotes
        return SettingError(f"{file}: [tool.torchferry] {message}", key)

    if not isinstance(table, dict):
        raise SettingError(f"{file}: tool.torchferry is not a table; write [tool.torchferry]")
    for key in table:
        if key not in KEYS:
            near = get_close_matches(key, KEYS, n=1)
            hint = f"did you mean {near[0]}?" if near else f"write one of: {', '.join(KEYS)}"
            raise wrong(key, f"there is no such setting; {hint}")
    root = root or file.parent
    target, style = _target(table, wrong), _word("style", table, STYLES, wrong)
    init = _word("init", table, INITS, wrong)
    try:
        load(target, style, init)
    except TorchferryError as error:
        raise wrong("init", str(error)) from error
    return Settings(
        target=target,
        style=style,
        init=init,
        exclude=_exclude(table, wrong),
        codes=CodeSelection(_codes("select", table, wrong), _codes("ignore", table, wrong)),
        file_ignores=_file_ignores(table, wrong),
        severities=_severities(table, wrong),
        examples=_examples(table, wrong),
        helpers=_helpers(table, wrong),
        rules=_rules(table, file.parent, root, wrong) if file.parent.is_relative_to(root) else None,
        models=read_models(table.get("models", {}), wrong),
        file=file,
    )


def _read(file: Path) -> bytes:
    """Return the bytes of a pyproject.toml.

    Raises:
        TorchferryError: parsing it would take too long.
    """
    with file.open("rb") as lines:
        data = lines.read(_MOST_BYTES + 1)
    dots = [line.count(b".") for line in data.split(b"\n")]
    if len(data) > _MOST_BYTES or max(dots) * (sum(dots) + len(dots)) > _MOST_STEPS:
        raise TorchferryError(f"{file}: too large to be read; make it smaller, then try again")
    return data


def _why(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)


_Wrong = Callable[[str, str], TorchferryError]


def _target(table: Mapping[str, Any], wrong: _Wrong) -> str:
    target = table.get("target", DEFAULT)
    version = table.get("version")
    if not isinstance(target, str):
        raise wrong("target", f'write a name in quotes, such as "{DEFAULT}"')
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


def _word(key: str, table: Mapping[str, Any], known: tuple[str, ...], wrong: _Wrong) -> str:
    """Return one of some words; the first where the table has none."""
    word = table.get(key, known[0])
    if word not in known:
        raise wrong(key, "write " + " or ".join(f'"{one}"' for one in known))
    return str(word)


def _exclude(table: Mapping[str, Any], wrong: _Wrong) -> tuple[str, ...]:
    exclude = table.get("exclude", [])
    if not isinstance(exclude, list) or not all(isinstance(glob, str) for glob in exclude):
        raise wrong("exclude", 'write a list of globs, such as ["third_party", "*_pb2.py"]')
    return tuple(exclude)


def _codes(key: str, table: Mapping[str, Any], wrong: _Wrong) -> tuple[str, ...]:
    words = table.get(key, [])
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise wrong(key, 'write a list of codes, such as ["TF110", "TF3"]')
    try:
        return known_codes(words)
    except TorchferryError as error:
        raise wrong(key, str(error)) from error


def _file_ignores(
    table: Mapping[str, Any], wrong: _Wrong
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    key = "per-file-ignores"
    chosen = table.get(key, {})
    if not isinstance(chosen, dict):
        raise wrong(key, 'write a table, such as per-file-ignores = { "tests/**" = ["TF2"] }')
    return tuple(
        (glob, _codes(glob, chosen, lambda glob, text: wrong(f"{key}.{glob!r}", text)))
        for glob in chosen
    )


def _examples(table: Mapping[str, Any], wrong: _Wrong) -> bool:
    examples = table.get("examples", False)
    if not isinstance(examples, bool):
        raise wrong("examples", "write true or false")
    return examples


def _helpers(table: Mapping[str, Any], wrong: _Wrong) -> str | None:
    helpers = table.get("helpers")
    if helpers is not None and helpers not in (MODULE, INLINE):
        raise wrong("helpers", f'write "{MODULE}" or "{INLINE}"')
    return helpers


def _rules(table: Mapping[str, Any], folder: Path, root: Path, wrong: _Wrong) -> Path | None:
    """Return the file of the project's own rules, named by its path or as a dotted module."""
    name = table.get("rules")
    if name is None:
        return None
    if not isinstance(name, str):
        raise wrong("rules", 'write a path or a module in quotes, as in "tools/rules.py"')
    inner = name if name.endswith(".py") else name.replace(".", "/")
    places = [inner] if name.endswith(".py") else [f"{inner}.py", f"{inner}/__init__.py"]
    found = next((folder / place for place in places if files.is_file(folder / place)), None)
    if found is None:
        raise wrong(
            "rules",
            f"there is no {name} in {folder}; give the path of a Python file from there, or a"
            " dotted module name",
        )
    if not Path(os.path.realpath(found)).is_relative_to(os.path.realpath(root)):
        raise wrong("rules", f"{name} is outside the project {root}; give a file inside it")
    return found


def _severities(table: Mapping[str, Any], wrong: _Wrong) -> dict[str, Severity | None]:
    chosen = table.get("severities", {})
    words = [*Severity, OFF]
    if not isinstance(chosen, dict):
        raise wrong("severities", 'write a table, such as severities = { TF300 = "off" }')
    result: dict[str, Severity | None] = {}
    for code, word in chosen.items():
        if code not in CODES:
            raise wrong(f"severities.{code}", f"there is no such code; {nearest(code)}")
        if code == SYNTAX:
            raise wrong(f"severities.{code}", "code that does not parse is always an error")
        if code in CAPTURE:
            raise wrong(f"severities.{code}", "a capture that fails is always an error")
        if word not in words:
            raise wrong(f"severities.{code}", f"write one of: {', '.join(words)}")
        result[code] = None if word == OFF else Severity(word)
    return result
