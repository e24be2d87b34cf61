"""Classes under the names that torch prints them with."""

from __future__ import annotations

from typing import Any


def torch_named(cls: Any) -> Any:
    """The class under torch's name, which models print and programs ask for."""
    cls.__name__ = cls.__name__.removeprefix("Torch")
    return cls
