"""Positions as the client counts them, to and from those that the engine counts."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from workbench.positions import Lines, Position, Range


class Encoding:
    """Translates columns between code points and the unit that was agreed on with the client."""

    def __init__(self, kind: str = types.PositionEncodingKind.Utf16) -> None:
        self.kind = str(getattr(kind, "value", kind))

    def decode(self, lines: Lines, line: int, units: int) -> Position:
        """Return a position that the client named; one outside the text moves to the nearest."""
        line, units = max(line, 0), max(units, 0)
        if line >= len(lines):
            return lines.position(len(lines.text))
        text = lines.line(line)
        if self.kind == types.PositionEncodingKind.Utf16.value:
            place = lines.from_utf16(line, units)
        elif self.kind == types.PositionEncodingKind.Utf8.value:
            place = Position(line, _code_points(text, units))
        else:
            place = Position(line, units)
        return Position(line, min(place.column, len(text)))

    def decode_range(self, lines: Lines, where: types.Range) -> Range:
        """Return the same for a range, in the right order even if the client's is not."""
        start = self.decode(lines, where.start.line, where.start.character)
        end = self.decode(lines, where.end.line, where.end.character)
        return Range(min(start, end), max(start, end))

    def encode(self, lines: Lines, place: Position) -> int:
        """Return the client's column of a position."""
        if self.kind == types.PositionEncodingKind.Utf16.value:
            return lines.utf16(place)
        if self.kind == types.PositionEncodingKind.Utf8.value:
            return len(_utf8(lines.line(place.line)[: place.column]))
        return place.column

    def encode_range(self, lines: Lines, where: Range) -> types.Range:
        """Return a range as the protocol's type."""
        return types.Range(
            types.Position(where.start.line, self.encode(lines, where.start)),
            types.Position(where.end.line, self.encode(lines, where.end)),
        )

    def encode_range_plainly(self, lines: Lines, where: Range) -> dict[str, Any]:
        """Return a range as it goes over the wire: a list of diagnostics can have hundreds."""
        start, end = where.start, where.end
        return {
            "start": {"line": start.line, "character": self.encode(lines, start)},
            "end": {"line": end.line, "character": self.encode(lines, end)},
        }


def _utf8(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def _code_points(text: str, units: int) -> int:
    """Return the number of whole characters in the first bytes of a text."""
    data = _utf8(text)
    begun = sum(byte & 0xC0 != 0x80 for byte in data[: units + 1])
    return begun - 1 if units < len(data) else begun
