"""Findings that a project accepts for now, stored in a file, so that only new ones count.

A finding is identified by its file, its code, its name and the text of its line, so moved lines do
not make it new. Equal findings are counted.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from workbench import files
from workbench.codes import DIFFERENCES, SYNTAX
from workbench.convert.report.report import FileResult, Row
from workbench.errors import TorchferryError
from workbench.rules.difference import AT_EACH_USE

_FORMAT = "torchferry baseline 1"

_Key = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Compared:
    """Findings of a check beyond a baseline.

    Attributes:
        new: the files with the findings that the baseline does not have.
        known: the number of findings in the baseline.
        gone: the number of the baseline's findings that no longer occur.
    """

    new: list[FileResult]
    known: int
    gone: int


def beyond_baseline(place: Path, found: Sequence[FileResult]) -> Compared:
    """Return the findings beyond the baseline in a file.

    Raises:
        TorchferryError: it cannot be read, or is not a baseline.
    """
    left = _read(place)
    had = left.total()
    new = []
    for file in found:
        rows = []
        for row in file.rows:
            key = _key(place, file, row)
            if left[key] > 0:
                left[key] -= 1
            else:
                rows.append(row)
        new.append(replace(file, rows=rows))
    checked = {_from(place, file) for file in found}
    gone = sum(count for key, count in left.items() if key[0] in checked)
    return Compared(new, had - left.total(), gone)


def write_baseline(place: Path, found: Iterable[FileResult]) -> int:
    """Keep what was found as a baseline; the number of findings in it.

    Raises:
        TorchferryError: the file cannot be written.
    """
    counts = Counter(
        _key(place, file, row) for file in found for row in file.rows if row.code != SYNTAX
    )
    entries = [json.dumps([*key, counts[key]], ensure_ascii=False) for key in sorted(counts)]
    body = ",\n    ".join(entries)
    text = f'{{\n  "format": "{_FORMAT}",\n  "findings": [\n    {body}\n  ]\n}}\n'
    files.write(place, text.encode("utf-8", "backslashreplace"))
    return counts.total()


def _read(place: Path) -> Counter[_Key]:
    data = files.read(place)
    try:
        held = json.loads(data)
        if held["format"] != _FORMAT:
            raise ValueError(f"its format is {held['format']!r}")
        found: Counter[_Key] = Counter()
        for path, code, name, line, count in held["findings"]:
            found[str(path), str(code), str(name), str(line)] = int(count)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise TorchferryError(
            f"{place}: not a baseline of Torchferry ({type(error).__name__}: {error}); write one"
            f" with: torchferry check --baseline {place} --write-baseline"
        ) from error
    return found


def _key(place: Path, file: FileResult, row: Row) -> _Key:
    if row.code in DIFFERENCES and row.code not in AT_EACH_USE:  # wherever the file is now
        return _from(place, file), row.code, "", ""
    return _from(place, file), row.code, row.name or "", " ".join(row.before.split())


def _from(place: Path, file: FileResult) -> str:
    """Return a file's path from the folder of the baseline, which goes where the project goes."""
    return Path(os.path.relpath(file.path, place.parent)).as_posix()
