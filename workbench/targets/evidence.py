"""The proof record of a target's rules, a file with one line per rule.

`workbench.proof` writes it. Conversion looks up missing kernels in it, and editors show it. A rule
is read without the others, and without an import of torch or a target.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

_NAME = re.compile(r'^"([^"]+)": ', re.MULTILINE)


def path_of(target: str) -> Path:
    """Return the path of a target's record."""
    return Path(__file__).parent / target / "proof.json"


def forget() -> None:
    """Drop the cached record, so that it is read again when needed."""
    _text.cache_clear()
    _places.cache_clear()
    unsupported.cache_clear()


def lines(target: str) -> dict[str, str]:
    """Return the unparsed JSON of each rule by its name, without the line of versions."""
    return dict(_split(line) for line in _text(target).splitlines() if line.startswith('"'))


def data_of(name: str, target: str) -> dict[str, Any] | None:
    """Return the record's data for a canonical name, or None if there is none."""
    text, start = _text(target), _places(target).get(name)
    if start is None:
        return None
    found: dict[str, Any] = json.loads(text[start : text.find("\n", start)].rstrip(","))
    return found


@cache
def unsupported(name: str, target: str) -> frozenset[str]:
    """Return the dtypes for which all samples of a rule met a missing kernel."""
    data = data_of(name, target) or {}
    lacks, equal = (set(data.get(key, "").split(", ")) - {""} for key in ("lacks", "dtypes"))
    return frozenset(lacks - equal)


@cache
def _text(target: str) -> str:
    path = path_of(target)
    return path.read_text(encoding="utf-8") if path.exists() else ""


@cache
def _places(target: str) -> dict[str, int]:
    """Return the offset of the data of each name."""
    return {match[1]: match.end() for match in _NAME.finditer(_text(target))}


def _split(line: str) -> tuple[str, str]:
    name, _, data = line.rstrip(",").partition(": ")
    return json.loads(name), data
