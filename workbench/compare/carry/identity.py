"""Map from live objects, by identity, to values; an entry is removed with its object."""

from __future__ import annotations

import weakref
from typing import Any


class IdentityMap:
    """Map with weak keys; keys that do not support weak references are not stored."""

    def __init__(self) -> None:
        self._entries: dict[int, tuple[weakref.ref[Any], Any]] = {}

    def __setitem__(self, key: object, value: Any) -> None:
        number = id(key)
        try:
            reference = weakref.ref(key, lambda _: self._entries.pop(number, None))
        except TypeError:
            return
        self._entries[number] = (reference, value)

    def get(self, key: object) -> Any:
        """Return the value of a key, or None."""
        entry = self._entries.get(id(key))
        return entry[1] if entry and entry[0]() is key else None

    def items(self) -> list[tuple[Any, Any]]:
        """Return the live keys with their values."""
        found = [(reference(), value) for reference, value in list(self._entries.values())]
        return [(key, value) for key, value in found if key is not None]

    def discard(self, key: object) -> None:
        """Remove a key."""
        self._entries.pop(id(key), None)
