"""Conversion of uses, by rules, into findings and edits. The package itself is callable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.calling import make_callable

if TYPE_CHECKING:
    from workbench.convert.conversion import convert

make_callable(__name__)

__all__ = ["convert"]


def __getattr__(name: str) -> Any:
    if name != "convert":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from workbench.convert.conversion import convert

    return convert
