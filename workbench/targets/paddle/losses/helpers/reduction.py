"""What losses do with their values: words for it, torch's numbers, and its older flags."""

from __future__ import annotations


def torch_reduction_number(reduction: str) -> int:
    """`_Reduction.get_enum`."""
    numbers = {"none": 0, "mean": 1, "elementwise_mean": 1, "sum": 2}
    if reduction not in numbers:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return numbers[reduction]


def torch_reduction_word(
    size_average: bool | None, reduce: bool | None, emit_warning: bool = True
) -> str:
    """`_Reduction.legacy_get_string`: None stands for True."""
    if reduce is False:
        return "none"
    return "sum" if size_average is False else "mean"
