"""Conversion: uses and rules become findings and edits. The package itself can be called."""

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
