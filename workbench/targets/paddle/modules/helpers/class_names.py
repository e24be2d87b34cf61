"""Classes under the names that torch prints them with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def torch_named(cls: Any) -> Any:
    """The class under torch's name, which models print and programs ask for."""
    cls.__name__ = cls.__name__.removeprefix("Torch")
    return cls


def torch_called(name: str) -> Callable[[Any], Any]:
    """Gives a class a name of torch's that two of them have, or that says more there than here."""

    def named(cls: Any) -> Any:
        cls.__name__ = name
        return cls

    return named
