"""The small differences that a plain form may leave, told once per kind and file."""

from __future__ import annotations

from enum import StrEnum


class Difference(StrEnum):
    """A kind of difference, by the code that its finding has.

    `words` say what differs; `{target}` stands for the framework and `{many}` for how many uses of
    the file it concerns, such as `12 layers`.
    """

    FRESH_WEIGHTS = "TF110"
    SAVED_STATE = "TF111"
    RANDOM_DRAWS = "TF112"
    RUNNING_VARIANCE = "TF113"
    CORNER_VALUES = "TF114"
    FILE_FORMAT = "TF115"
    PRINTED_TEXT = "TF116"
    FLOAT_DTYPE = "TF117"

    @property
    def words(self) -> str:
        """What a user reads about it."""
        return _WORDS[self]


_WORDS = {
    Difference.FRESH_WEIGHTS: "new weights are drawn by {target}: as torch draws them where"
    " `weight_attr` says so, else as {target} does; biases start at zero",
    Difference.SAVED_STATE: "the saved state is laid out as {target} lays it out;"
    " `torchferry weights` carries torch's over, and back",
    Difference.RANDOM_DRAWS: "random numbers follow {target}'s own streams: the same"
    " distributions, other draws",
    Difference.RUNNING_VARIANCE: "the running variance is the biased one: evaluation differs by"
    " about one part in the values of a channel in a batch",
    Difference.CORNER_VALUES: "NaN, infinities and the like may come out in another way",
    Difference.FILE_FORMAT: "files are written and read in {target}'s format;"
    " `torchferry weights` carries torch's over",
    Difference.PRINTED_TEXT: "printed text is {target}'s",
    Difference.FLOAT_DTYPE: "a tensor of a list that holds NumPy's float64, or tensors beside"
    " numbers, has another float dtype: say `dtype=` where it matters",
}
