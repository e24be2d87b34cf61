"""The types of the kernel's objects, by the names that a cell can use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.convert.notebook.live_types import live_type

if TYPE_CHECKING:
    from collections.abc import Mapping

# What IPython itself puts into the namespace.
_IPYTHON = {"In", "Out", "exit", "quit", "get_ipython", "open"}


def live_types(names: Mapping[str, object]) -> dict[str, str]:
    """The types of what the user's names stand for, as conversion takes them."""
    return {
        name: live_type(value)
        for name, value in names.items()
        if not name.startswith("_") and name not in _IPYTHON
    }
