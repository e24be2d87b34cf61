"""Tokens of live values, which change with the values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from workbench.compare.carry.fingerprint import fingerprint


class Frame:
    """A table as pandas has it: no attribute holds its values."""

    __slots__ = ("held",)
    __module__ = "pandas"

    def __init__(self, **columns: list[Any]) -> None:
        self.held = columns

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.held)

    def __len__(self) -> int:
        return len(next(iter(self.held.values())))

    def __getitem__(self, rows: slice) -> Frame:
        return Frame(**{name: column[rows] for name, column in self.held.items()})

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """All values."""
        return np.array(list(self.held.values()), dtype=object).T


@pytest.mark.parametrize("change", ["value", "text", "column", "row"])
def test_a_table_that_changes_has_another_token(change: str) -> None:
    frame = Frame(a=[1.0, 2.0], b=["x", "y"])
    before = fingerprint(frame)
    assert fingerprint(frame) == before
    if change == "value":
        frame.held["a"][1] = 3.0
    elif change == "text":
        frame.held["b"][0] = "z"
    elif change == "column":
        frame.held["c"] = frame.held.pop("a")
    else:
        frame.held = {name: column[:1] for name, column in frame.held.items()}
    assert fingerprint(frame) != before
