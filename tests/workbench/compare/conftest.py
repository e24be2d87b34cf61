"""A namespace to work in as a notebook does: plain cells, and cells that are converted."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from workbench.compare.cells.mirror import keep_source
from workbench.compare.cells.session import Options, Session
from workbench.compare.result import Comparison, Row

_numbers = count(1)


class Notebook:
    """Cells run one after another over one session."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.sources: list[str] = []
        self.session = Session(self.names, earlier=lambda: tuple(self.sources))

    def plain(self, source: str) -> None:
        """Run a cell as it is."""
        filename = f"<plain {next(_numbers)}>"
        keep_source(filename, source)
        self.sources.append(source)
        exec(compile(source, filename, "exec"), self.names)

    def convert(self, source: str, **options: Any) -> Comparison:
        """Run a cell with its conversion."""
        comparison = self.session.run(source, options=Options(**options))
        self.sources.append(source)
        return comparison

    def mirrored(self, name: str) -> Any:
        """Return the target's value of a name, as a torch tensor where it is one."""
        value = self.session.mirror.names[name]
        bridge = self.session.bridge
        return bridge.to_torch(value) if bridge.is_tensor(value) else value


@pytest.fixture
def notebook() -> Notebook:
    return Notebook()


def row(comparison: Comparison, name: str) -> Row:
    """Return the row of a name."""
    return next(row for row in comparison.rows if row.name == name)
