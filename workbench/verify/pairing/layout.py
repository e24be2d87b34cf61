"""Layouts in which a port may keep a tensor of the original."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What happens to torch's tensor; the values are the words of `--map` and of certificates."""

    SAME = ""
    TRANSPOSED = "T"
    RESHAPED = "view"
    # Flattened to a matrix, and transposed.
    FLAT_TRANSPOSED = "flatT"
    # Matrices stacked along a new dimension, or split off it.
    STACKED = "stack"
    STACKED_TRANSPOSED = "stackT"
    # Parts concatenated along the second dimension.
    COLUMNS = "columns"
    # The sum of several that the original only ever adds, such as the two biases of a recurrent
    # layer.
    SUM = "sum"
    # Columns of a matrix after images that the port flattens channels last.
    CHANNELS_LAST = "last"
    # Permuted dimensions, not counting those of size 1.
    PERMUTED = "axes"


@dataclass(frozen=True, slots=True)
class Layout:
    """A layout.

    Attributes:
        kind: its kind.
        channels: the number of channels for CHANNELS_LAST: `last16`.
        axes: the permutation for PERMUTED: `axes201`.
    """

    kind: Kind = Kind.SAME
    channels: int = 0
    axes: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.kind}{self.channels or ''}{''.join(map(str, self.axes))}"

    @classmethod
    def read(cls, text: str) -> Layout | None:
        """Return the layout that a text names, or None."""
        numbered = re.fullmatch(r"(last|axes)(\d+)", text)
        if numbered is None:
            plain = set(Kind) - {Kind.CHANNELS_LAST, Kind.PERMUTED}
            return cls(Kind(text)) if text in plain else None
        kind, digits = Kind(numbered[1]), numbered[2]
        if kind is Kind.PERMUTED:
            return cls(kind, axes=tuple(map(int, digits)))
        return None if digits.startswith("0") else cls(kind, channels=int(digits))

    @property
    def is_stack(self) -> bool:
        """Whether matrices are stacked, plain or transposed."""
        return self in (STACKED, STACKED_TRANSPOSED)

    @property
    def is_transposed(self) -> bool:
        """Whether a matrix is transposed as a whole, perhaps flattened first."""
        return self in (TRANSPOSED, FLAT_TRANSPOSED)


SAME = Layout()
TRANSPOSED = Layout(Kind.TRANSPOSED)
RESHAPED = Layout(Kind.RESHAPED)
FLAT_TRANSPOSED = Layout(Kind.FLAT_TRANSPOSED)
STACKED = Layout(Kind.STACKED)
STACKED_TRANSPOSED = Layout(Kind.STACKED_TRANSPOSED)
COLUMNS = Layout(Kind.COLUMNS)
SUM = Layout(Kind.SUM)
