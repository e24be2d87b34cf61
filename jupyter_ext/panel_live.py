"""The types of the kernel's objects, by the names that a cell can use."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# What IPython itself puts into the namespace.
_IPYTHON = {"In", "Out", "exit", "quit", "get_ipython", "open"}


def live_types(names: Mapping[str, object]) -> dict[str, str]:
    """Qualified type names, such as `torch.Tensor`, of what the user's names stand for."""
    return {
        name: f"{type(value).__module__}.{type(value).__qualname__}"
        for name, value in names.items()
        if not name.startswith("_") and name not in _IPYTHON
    }
