"""Rows of measurements, and their table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement; `ratio` is how many times better ours is than the peer."""

    name: str
    value: str
    ratio: float | None = None
    budget: str = ""
