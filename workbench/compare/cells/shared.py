"""State that the cells of a session share."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from workbench.compare.cells.mirror import Mirror
from workbench.compare.cells.written_files import Files
from workbench.compare.judging.torch_side import Updates
from workbench.streams.torch_recorder import FreshWeights
from workbench.targets.bridge import Bridge


@dataclass(slots=True)
class Shared:
    """Both namespaces, and records that are kept from cell to cell.

    Attributes:
        namespace: the user's namespace.
        mirror: the target's namespace.
        quiet: mutes what the target displays.
        updates: the optimizer steps so far.
        files: the files that torch's side wrote.
        readings: names that hold clock readings or addresses.
        fresh: the weights that torch drew and the target does not have yet.
    """

    namespace: MutableMapping[str, Any]
    mirror: Mirror
    quiet: Callable[[], AbstractContextManager[Any]]
    updates: Updates = field(default_factory=Updates)
    files: Files = field(default_factory=Files)
    readings: set[str] = field(default_factory=set)
    fresh: FreshWeights = field(default_factory=FreshWeights)

    @property
    def bridge(self) -> Bridge:
        """The target's bridge."""
        return self.mirror.bridge
