"""The small differences that a plain form may leave, told once per kind and file."""

from __future__ import annotations

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

    @property
    def at_each_use(self) -> bool:
        """Whether a user reads of it at each use, since each has a condition of its own."""
        return self is Difference.UNLIKE_DTYPES

    @property
    def words(self) -> str:
        """What a user reads about it."""
        return DIFFERENCES[self].words
