"""The types of the kernel's objects, by the names that a cell can use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.convert.notebook.live_types import live_type

if TYPE_CHECKING:
    from collections.abc import Mapping

# Names that IPython itself adds to the namespace.
_IPYTHON = {"In", "Out", "exit", "quit", "get_ipython", "open"}


def live_types(names: Mapping[str, object]) -> dict[str, str]:
    """Return the types of the user's objects by name, in the form that the conversion takes."""
    return {
        name: live_type(value)
        for name, value in names.items()
        if not name.startswith("_") and name not in _IPYTHON
    }
