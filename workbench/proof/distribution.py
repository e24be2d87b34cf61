"""Test whether two samples come from one distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.proof.values import as_array

_SHUFFLES = 300
_MARGIN = 1.4  # times the largest gap that arises by chance
# Values that agree to this many digits, or within this distance, count as equal: kernels round, and
# draws repeat values.
_DIGITS = 4
_LEAST = 1e-9


def alike(mine: list[Any], theirs: list[Any]) -> str | None:
    """Return a description of the difference between both sides' draws, or None.

    The Kolmogorov-Smirnov distance is compared with the distances between random halves of all
    draws. Values within a draw may depend on each other, such as those of a channel that dropout
    removes, so whole draws are permuted.
    """
    draws = [_values(draw) for draw in [*mine, *theirs]]
    if not any(draw.size for draw in draws):
        return None
    order = np.argsort(np.concatenate(draws), kind="stable")
    values = np.concatenate(draws)[order]
    last = np.append(values[1:] != values[:-1], True)
    owner = np.repeat(np.arange(len(draws)), [draw.size for draw in draws])[order]

    def gap(left: np.ndarray[Any, Any]) -> float:
        steps = np.where(np.isin(owner, left), 1.0, 0.0)
        first, second = steps.cumsum() / steps.sum(), (1 - steps).cumsum() / (1 - steps).sum()
        return float(np.abs(first - second)[last].max())

    chance = np.random.default_rng(0)
    found = gap(np.arange(len(mine)))
    halves = (chance.permutation(len(draws))[: len(mine)] for _ in range(_SHUFFLES))
    if found <= _MARGIN * max(gap(half) for half in halves):
        return None
    left, right = np.concatenate(draws[: len(mine)]), np.concatenate(draws[len(mine) :])
    with np.errstate(invalid="ignore"):  # infinite values have no deviation
        return (
            f"another distribution: mean {right.mean():.4g} and deviation {right.std():.4g}"
            f" instead of {left.mean():.4g} and {left.std():.4g}"
        )


def _values(draw: Any) -> np.ndarray[Any, Any]:
    items = draw if isinstance(draw, list | tuple) else [draw]
    tensors = (as_array(item) for item in items)
    parts = [np.abs(tensor.array).ravel().astype("float64") for tensor in tensors if tensor]
    return _rounded(np.concatenate(parts)) if parts else np.zeros(0)


def _rounded(sizes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Round absolute values to `_DIGITS` digits; NaN becomes -1, which is not an absolute value."""
    held = np.where(np.isfinite(sizes), np.maximum(sizes, _LEAST), 1.0)
    unit = np.maximum(10.0 ** (np.floor(np.log10(held)) - (_DIGITS - 1)), _LEAST)
    rounded = np.where(np.isfinite(sizes), np.round(sizes / unit) * unit, sizes)
    return np.where(np.isnan(sizes), -1.0, rounded)
