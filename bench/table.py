"""What a measurement prints."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement; `ratio` says how often ours is better than the peer on this row."""

    name: str
    value: str
    ratio: float | None = None
    budget: str = ""
