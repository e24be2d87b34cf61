"""The small differences that a plain form may leave."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from workbench.codes import DIFFERENCES


class Difference(StrEnum):
    """A kind of difference, by the code that its finding has.

    `words` say what differs; `{target}` stands for the framework.
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
    OPEN = "TF119"

    @property
    def at_each_use(self) -> bool:
        """Whether a user reads of it at each use, since each has a condition of its own."""
        return self in AT_EACH_USE

    @property
    def words(self) -> str:
        """What a user reads about it."""
        return DIFFERENCES[self].words


# Kinds that a condition of the use decides.
AT_EACH_USE = frozenset({Difference.UNLIKE_DTYPES, Difference.OPEN})


@dataclass(frozen=True, slots=True)
class Detail:
    """A difference that names its values or its condition.

    Attributes:
        kind: its kind.
        words: the text of the finding; `{target}` stands for the framework.
    """

    kind: Difference
    words: str

    @property
    def value(self) -> str:
        """The code that its finding has."""
        return self.kind.value

    @property
    def at_each_use(self) -> bool:
        """Whether a user reads of it at each use."""
        return self.kind.at_each_use


Differs = tuple[Difference | Detail, ...]


def at(words: str) -> Differs:
    """A difference of single values: which values, of which argument, and what they give."""
    return (Detail(Difference.CORNER_VALUES, words),)


def unless(words: str) -> Differs:
    """A difference that an open fact decides: the condition, and what happens under it."""
    return (Detail(Difference.OPEN, words),)
