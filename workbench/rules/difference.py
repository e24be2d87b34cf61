"""Small differences from torch that a plain form may leave."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from workbench.codes import DIFFERENCES


class Difference(StrEnum):
    """A kind of difference; its value is the code of its finding.

    `words` describe the difference; `{target}` is the framework's name.
    """

    FRESH_WEIGHTS = "TF110"
    SAVED_STATE = "TF111"
    RANDOM_DRAWS = "TF112"
    RUNNING_VARIANCE = "TF113"
    CORNER_VALUES = "TF114"
    FILE_FORMAT = "TF115"
    PRINTED_TEXT = "TF116"
    FLOAT_DTYPE = "TF117"
    UNLIKE_DTYPES = "TF118"
    HALVES_ON_CPU = "TF120"
    UNBATCHED = "TF121"
    NARROW = "TF122"
    OPEN = "TF119"

    @property
    def at_each_use(self) -> bool:
        """True if the difference is reported at each use, since each has its own condition."""
        return self in AT_EACH_USE

    @property
    def words(self) -> str:
        """The text of the finding."""
        return DIFFERENCES[self].words


# Kinds that depend on a condition of the use.
AT_EACH_USE = frozenset({Difference.UNLIKE_DTYPES, Difference.OPEN})


@dataclass(frozen=True, slots=True)
class Detail:
    """A difference that names its values or its condition.

    Attributes:
        kind: its kind.
        words: the text of the finding; `{target}` is the framework's name.
    """

    kind: Difference
    words: str

    @property
    def value(self) -> str:
        """The code of its finding."""
        return self.kind.value

    @property
    def at_each_use(self) -> bool:
        """Return whether the difference is reported at each use."""
        return self.kind.at_each_use


Differs = tuple[Difference | Detail, ...]


def at(words: str) -> Differs:
    """Return a difference for single values; `words` name the values, their argument and the
    results.
    """
    return (Detail(Difference.CORNER_VALUES, words),)


def unless(words: str) -> Differs:
    """Return a difference for an open fact; `words` give the condition and its effect."""
    return (Detail(Difference.OPEN, words),)
