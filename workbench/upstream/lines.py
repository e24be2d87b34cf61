"""The facts file, read line by line: an entry is decoded when it is asked for.

All of it decoded would take ten times the memory and the time, and an editor needs a few hundred
of its fifteen thousand entries.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_NAME = re.compile(r'^"([^"]+)":[ ]?', re.MULTILINE)
_DECODER = json.JSONDecoder()


class Lines(Mapping[str, Any]):
    """A JSON object that is written one member a line, as `generate` writes it."""

    def __init__(self, text: str) -> None:
        self._text = text
        # Where the value of each begins; the lines as strings of their own would take double.
        self._places = {match[1]: match.end() for match in _NAME.finditer(text)}

    def __getitem__(self, name: str) -> Any:
        value, _ = _DECODER.raw_decode(self._text, self._places[name])
        return value

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def read(text: str) -> dict[str, Any]:
    """The members of the facts file; those that are objects as `Lines`."""
    found: dict[str, Any] = {}
    rest = text.removeprefix("{\n")
    while rest and not rest.startswith("}"):
        name, _, rest = rest[1:].partition('":')
        if rest.startswith("{\n"):
            block, _, rest = rest[2:].partition("\n}")
            found[name] = Lines(block)
            rest = rest.removeprefix(",").removeprefix("\n")
        else:
            line, _, rest = rest.partition("\n")
            found[name] = json.loads(line.removesuffix(","))
    return found
