"""Whether two samples come from one distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.proof.values import as_array

_CHANCE = 1e-6  # of calling two samples of one distribution unlike


def alike(mine: list[Any], theirs: list[Any]) -> str | None:
    """Compare pooled draws of both sides by the test of Kolmogorov and Smirnov; None if alike."""
    left, right = _pooled(mine), _pooled(theirs)
    if not left.size or not right.size:
        return None if left.size == right.size else "one side drew nothing"
    values = np.sort(np.concatenate([left, right]))
    steps = np.searchsorted(np.sort(left), values, side="right") / left.size
    others = np.searchsorted(np.sort(right), values, side="right") / right.size
    gap = float(np.abs(steps - others).max())
    size = left.size * right.size / (left.size + right.size)
    if gap <= np.sqrt(-np.log(_CHANCE / 2) / 2 / size):
        return None
    return (
        f"another distribution: mean {right.mean():.4g} and deviation {right.std():.4g}"
        f" instead of {left.mean():.4g} and {left.std():.4g}"
    )


def _pooled(draws: list[Any]) -> np.ndarray[Any, Any]:
    parts = []
    for draw in draws:
        for item in draw if isinstance(draw, list | tuple) else [draw]:
            tensor = as_array(item)
            if tensor is not None:
                parts.append(np.abs(tensor.array).ravel().astype("float64"))
    return np.concatenate(parts) if parts else np.zeros(0)
