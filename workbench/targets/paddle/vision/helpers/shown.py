"""Transforms of images under the names, and with the settings, that torchvision prints."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any


def torch_shown_value(value: Any) -> Any:
    """A setting as it is printed: modes by their words, ranges with four digits."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, tuple):
        return tuple(round(one, 4) if isinstance(one, float) else one for one in value)
    return value


def torch_shown(name: str, *fields: str, comma: str = ", ") -> Callable[[Any], Any]:
    """A class under its usual name, printed with these of its attributes.

    One that ends in `?` is left out where it says nothing.
    """

    def text(self: Any) -> str:
        shown = []
        for field in fields:
            value = torch_shown_value(getattr(self, field.rstrip("?")))
            if not field.endswith("?") or value not in (None, 0, "nearest"):
                shown.append(f"{field.rstrip('?')}={value}")
        return f"{name}({comma.join(shown)})"

    def decorate(cls: Any) -> Any:
        cls.__name__ = name
        cls.__repr__ = text
        return cls

    return decorate


def torch_shown_within(name: str, *fields: str, after: str = "") -> Callable[[Any], Any]:
    """The same for a class of several transforms, one a line."""

    def text(self: Any) -> str:
        first = [f"    {field}={getattr(self, field)}" for field in fields]
        lines = [*first, *(f"    {one}" for one in self.transforms)]
        rest = f"({after}={getattr(self, after)})" if after else ""
        return "\n".join([f"{name}(", *lines, ")"]) + rest

    def decorate(cls: Any) -> Any:
        cls.__name__ = name
        cls.__repr__ = text
        return cls

    return decorate
