"""Cuts a byte stream into the bodies of protocol messages, and finds its feet again in garbage."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_LENGTH = re.compile(rb"content-length:[ \t]*(\d{1,10})", re.IGNORECASE)
_END = b"\r\n\r\n"

# A header block is a line or two. A longer one without an end is not a header.
_LONGEST_HEADER = 8 * 1024
_LONGEST_BODY = 256 * 1024 * 1024


class Frames:
    """Takes bytes as they come and yields each message's body once it is whole."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._wanted: int | None = None

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the bodies that `data` completes."""
        self._buffer += data
        while True:
            if self._wanted is None and not self._read_header():
                return
            if self._wanted is None:
                continue
            if len(self._buffer) < self._wanted:
                return
            body = bytes(self._buffer[: self._wanted])
            del self._buffer[: self._wanted]
            self._wanted = None
            yield body

    def _read_header(self) -> bool:
        """Consume a header block, or return False if it is incomplete."""
        end = self._buffer.find(_END)
        if end < 0:
            if len(self._buffer) > _LONGEST_HEADER:
                # Keep the possible beginning of a header, drop the noise before it.
                del self._buffer[:-_LONGEST_HEADER]
            return False
        # The last one counts: the text before it is left from a truncated message.
        lengths = _LENGTH.findall(self._buffer, 0, end)
        del self._buffer[: end + len(_END)]
        if lengths and int(lengths[-1]) <= _LONGEST_BODY:
            self._wanted = int(lengths[-1])
        return True
