"""A line-by-line reader of the facts file, which decodes an entry when it is needed.

Decoding all of it would take ten times the memory and time, and an editor needs a few hundred of
its fifteen thousand entries.
"""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import Any

_LINE = re.compile(r'^"', re.MULTILINE)
_DECODER = json.JSONDecoder()


class Lines(Mapping[str, Any]):
    """A JSON object with one member per line, sorted by name, as `generate` writes it."""

    def __init__(self, text: str) -> None:
        self._text = text
        # Names as separate strings would take twice the memory of the text.
        self._starts = array("I", (match.start() for match in _LINE.finditer(text)))
        self._found: dict[str, int] = {}

    def __getitem__(self, name: str) -> Any:
        place = self._place(name)
        if not place:
            raise KeyError(name)
        value, _ = _DECODER.raw_decode(self._text, place)
        return value

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._place(name) > 0

    def __iter__(self) -> Iterator[str]:
        return map(self._name, self._starts)

    def __len__(self) -> int:
        return len(self._starts)

    def _place(self, name: str) -> int:
        """Return the start of a member's value in the text, or 0 if there is no such member."""
        place = self._found.get(name, 0)
        if not place:
            number = bisect_left(self._starts, name, key=self._name)
            start = self._starts[number] if number < len(self._starts) else 0
            if number < len(self._starts) and self._name(start) == name:
                place = self._text.index(":", start + len(name)) + 1
                place += self._text.startswith(" ", place)
                self._found[name] = place
        return place

    def _name(self, start: int) -> str:
        return self._text[start + 1 : self._text.index('"', start + 1)]


def read(text: str) -> dict[str, Any]:
    """Return the members of the facts file; those that are objects are `Lines`."""
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
