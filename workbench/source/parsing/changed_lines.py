"""Search for the difference of two versions of a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_BLOCK = 64  # lines


@dataclass(slots=True)
class Edit:
    """Lines from `start` to `old_stop` of the old text became those from `start` to `new_stop`."""

    start: int
    old_stop: int
    new_stop: int

    @property
    def shift(self) -> int:
        """How far the lines after the edit moved."""
        return self.new_stop - self.old_stop


def difference(old: Sequence[str], new: Sequence[str]) -> Edit:
    """Return the smallest range of lines outside of which two texts are equal."""
    most = min(len(old), len(new))
    start = 0
    # Whole blocks first: comparing lists is much faster than comparing line by line.
    while start + _BLOCK <= most and old[start : start + _BLOCK] == new[start : start + _BLOCK]:
        start += _BLOCK
    while start < most and old[start] == new[start]:
        start += 1
    same, most = 0, most - start
    ends = len(old), len(new)
    while same + _BLOCK <= most and (
        old[ends[0] - same - _BLOCK : ends[0] - same]
        == new[ends[1] - same - _BLOCK : ends[1] - same]
    ):
        same += _BLOCK
    while same < most and old[-1 - same] == new[-1 - same]:
        same += 1
    return Edit(start, len(old) - same, len(new) - same)
