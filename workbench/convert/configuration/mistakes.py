"""Mistakes in `[tool.torchferry]`, each with its location in pyproject.toml."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.convert.configuration.settings import SettingError, settings_in
from workbench.positions import Lines, Position, Range

Keys = tuple[str, ...]

_MOST = 100
_PART = r"""(?:[\w-]+|"[^"]*"|'[^']*')"""
_DOTTED = rf"{_PART}(?:\s*\.\s*{_PART})*"
_HEADER = re.compile(rf"\s*\[(?P<keys>\s*{_DOTTED}\s*)\]")
_KEY = re.compile(rf"\s*(?P<keys>{_DOTTED})\s*=")
_AT = re.compile(r"\s*\(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$")
_OURS = ("tool", "torchferry")
_NAME = re.compile(r"torch[-_]?ferry", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake in a setting and its location."""

    message: str
    range: Range


def mistakes(text: str, file: Path) -> list[Mistake]:
    """Find every mistake in the settings of a pyproject.toml.

    Args:
        text: its text, which need not be saved.
        file: its place, from which paths in it are seen.
    """
    if _NAME.search(text) is None:
        return []
    lines = Lines(text)
    try:
        tables = tomllib.loads(text.replace("\r\n", "\n"))
    except (ValueError, RecursionError) as error:
        return [_unreadable(str(error), lines)]
    places = key_places(lines)
    found: list[Mistake] = []
    while len(found) < _MOST:
        try:
            settings_in(tables, file)
            break
        except SettingError as error:
            message = str(error).removeprefix(f"{file}: ").removeprefix("[tool.torchferry] ")
            keys = _taken_out(tables, error.key)
            found.append(Mistake(message, _range(places, keys, lines)))
            if not keys:
                break
    return sorted(found, key=lambda one: one.range)


def _unreadable(message: str, lines: Lines) -> Mistake:
    """Return a mistake in the TOML itself."""
    at = _AT.search(message)
    last = len(lines) - 1
    line = int(at["line"]) - 1 if at and at["line"] else last
    column = int(at["column"]) - 1 if at and at["column"] else 0
    start = Position(line, min(column, len(lines.line(line))))
    words = _AT.sub("", message)
    return Mistake(f"not valid TOML: {words}", Range(start, Position(line, len(lines.line(line)))))


def key_places(lines: Lines) -> dict[Keys, Range]:
    """Return the ranges of the keys of the settings and of the headers of their tables."""
    found: dict[Keys, Range] = {}
    table: Keys = ()
    for number in range(len(lines)):
        text = lines.line(number)
        header, key = _HEADER.match(text), _KEY.match(text)
        match = header or key
        if match is None:
            continue
        names = _names(match["keys"])
        table = names if header else table
        whole = names if header else table + names
        if whole[:2] == _OURS or (len(whole) > 1 and whole[0] == "tool" and _NAME.match(whole[1])):
            start, end = match.span("keys")
            found.setdefault(whole[2:], Range(Position(number, start), Position(number, end)))
    return found


def _names(dotted: str) -> Keys:
    return tuple(one.strip().strip("\"'") for one in re.findall(_PART, dotted))


def _taken_out(tables: Mapping[str, Any], key: str) -> Keys:
    """Remove the mistaken entry from the tables and return its keys, or () if there is none."""
    table, rest, keys = tables.get("tool", {}).get("torchferry"), key, []
    while isinstance(table, dict):
        name = next((one for one in table if _begins(rest, one)), None)
        if name is None:
            break
        keys.append((table, name))
        rest = rest.removeprefix(repr(name)).removeprefix(name).removeprefix(".")
        table = table[name]
    if keys:
        holder, name = keys[-1]
        del holder[name]
    return tuple(name for _, name in keys)


def _begins(key: str, name: str) -> bool:
    return any(key == one or key.startswith(f"{one}.") for one in (name, repr(name)))


def _range(places: Mapping[Keys, Range], keys: Keys, lines: Lines) -> Range:
    """Return the place of a key; of one in an inline table, its name behind the table's."""
    if keys in places:
        return places[keys]
    if not keys:
        return Range(Position(0, 0), Position(0, len(lines.line(0))))
    outer = _range(places, keys[:-1], lines)
    at = lines.text.find(keys[-1], lines.offset(outer.end))
    return lines.range(at, at + len(keys[-1])) if at >= 0 else outer
