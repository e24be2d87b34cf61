"""Shown graphs, kept in the kernel for a page that is reloaded."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from uuid import uuid4

if TYPE_CHECKING:
    from workbench.capture import Graph

Json = dict[str, Any]
_MOST = 6


@dataclass(frozen=True)
class Shown:
    """The content sent to the panel, and the captured graph behind it."""

    content: Json
    files: list[bytes]
    graph: Graph


class Shelf:
    """The graphs that were shown last, by keys that the panel knows them by."""

    def __init__(self) -> None:
        self._shown: OrderedDict[str, Shown] = OrderedDict()

    def put(self, content: Json, files: list[bytes], graph: Graph) -> tuple[Json, list[bytes]]:
        """Keep what is shown, and forget what was shown long ago; what goes to the panel."""
        key = uuid4().hex
        content = {**content, "key": key}
        self._shown[key] = Shown(content, files, graph)
        while len(self._shown) > _MOST:
            self._shown.popitem(last=False)
        return content, files

    def get(self, key: str) -> Shown:
        """Return the content shown under a key.

        Raises:
            ValueError: it is not here any more.
        """
        shown = self._shown.get(key)
        if shown is None:
            raise ValueError("The kernel no longer has this graph")
        self._shown.move_to_end(key)
        return shown

    def program(self, key: str) -> bytes:
        """Return the captured program as torch writes it: the bytes of a `.pt2` file."""
        graph = self.get(key).graph
        with TemporaryDirectory(prefix="torchferry-") as folder:
            return graph.save(Path(folder) / "graph.pt2").read_bytes()
