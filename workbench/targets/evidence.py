"""The record of what was proved of a target's rules, as a file with a line for each rule.

`workbench.proof` writes it. Converting asks it for missing kernels, and editors show it: so
one rule is read without the others, and neither torch nor a target is imported.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

_NAME = re.compile(r'^"([^"]+)": ', re.MULTILINE)


def path_of(target: str) -> Path:
    """Where the record of a target is kept."""
    return Path(__file__).parent / target / "proof.json"


def forget() -> None:
    """Read the record anew when it is asked for again."""
    _text.cache_clear()
    _places.cache_clear()
    unsupported.cache_clear()


def lines(target: str) -> dict[str, str]:
    """The JSON of each rule by its name, not read yet; the versions stand under no name."""
    return dict(_split(line) for line in _text(target).splitlines() if line.startswith('"'))


def data_of(name: str, target: str) -> dict[str, Any] | None:
    """What the record has of one canonical name; None where it has nothing."""
    text, start = _text(target), _places(target).get(name)
    if start is None:
        return None
    found: dict[str, Any] = json.loads(text[start : text.find("\n", start)].rstrip(","))
    return found


@cache
def unsupported(name: str, target: str) -> frozenset[str]:
    """The dtypes of which every sample of a rule met a missing kernel."""
    data = data_of(name, target) or {}
    lacks, equal = (set(data.get(key, "").split(", ")) - {""} for key in ("lacks", "dtypes"))
    return frozenset(lacks - equal)


@cache
def _text(target: str) -> str:
    path = path_of(target)
    return path.read_text(encoding="utf-8") if path.exists() else ""


@cache
def _places(target: str) -> dict[str, int]:
    """Where the data of each name begins."""
    return {match[1]: match.end() for match in _NAME.finditer(_text(target))}


def _split(line: str) -> tuple[str, str]:
    name, _, data = line.rstrip(",").partition(": ")
    return json.loads(name), data
