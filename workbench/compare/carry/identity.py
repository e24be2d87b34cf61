"""A map from living objects, by identity, to values; an entry goes when its object does."""

from __future__ import annotations

import weakref
from typing import Any


class IdentityMap:
    """Weak where the key allows a weak reference; keys that allow none are not kept."""

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
        """The value of a key, or None."""
        entry = self._entries.get(id(key))
        return entry[1] if entry and entry[0]() is key else None

    def items(self) -> list[tuple[Any, Any]]:
        """The living keys with their values."""
        found = [(reference(), value) for reference, value in list(self._entries.values())]
        return [(key, value) for key, value in found if key is not None]

    def discard(self, key: object) -> None:
        """Forget a key."""
        self._entries.pop(id(key), None)
