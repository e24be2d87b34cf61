"""A line-by-line reader of the facts file, which decodes an entry when it is needed.

Decoding all of it would take ten times the memory and time, and an editor needs a few hundred of
its fifteen thousand entries.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_NAME = re.compile(r'^"([^"]+)":[ ]?', re.MULTILINE)
_DECODER = json.JSONDecoder()


class Lines(Mapping[str, Any]):
    """A JSON object with one member per line, as `generate` writes it."""

    def __init__(self, text: str) -> None:
        self._text = text
        # The start of each value; the lines as separate strings would take twice the memory.
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
