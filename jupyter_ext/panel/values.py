"""The values of a compared cell as the panel explores them: rows, curves, and slices of tensors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from workbench.compare.charts import charts
from workbench.compare.result import verdict, worst_first
from workbench.compare.slices import peak, slice_at

from ..display.render import style
from ..outcomes import outcome_of, tensors_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.compare.result import Row
    from workbench.compare.slices import Peak

Json = dict[str, Any]


def values_of(cell: str) -> Json | None:
    """Return the rows of a cell's last comparison, differences first, or None before it has run."""
    known = outcome_of(cell)
    if known is None:
        return None
    comparison = known.shown.comparison
    held = tensors_of(cell)
    drawn = charts(comparison.curves, comparison.target_name)
    return {
        "source": known.source,
        "target": comparison.target_name,
        "charts": drawn and f'<style>{style()}</style><div class="tf-card tf-plain">{drawn}</div>',
        "rows": [
            _row(row, comparison.first_line, held=row.name in held)
            for row in sorted(comparison.valued, key=worst_first)
        ],
    }


def tensor_of(cell: str, name: str, at: Sequence[int] | None) -> tuple[Json, list[bytes]]:
    """Return a slice of a tensor, by default that of the largest difference.

    The bytes are torch's values, the target's and their distance, as float32.

    Raises:
        ValueError: the kernel does not hold it, or it has no such slice.
    """
    pair = tensors_of(cell).get(name)
    if pair is None:
        raise ValueError(f"The kernel no longer has {name}; run the cell again")
    top = peak(*pair)
    at = list(top.index[:-2]) if at is None else at
    shown = slice_at(*pair, at)
    content = {
        "shape": list(pair[0].shape),
        "at": at,
        "slice": list(shown.shape),
        "drawn": list(shown.ours.shape),
        "low": shown.low,
        "high": shown.high,
        "most": _finite(shown.most),
        "peak": _peak(top),
    }
    drawn = (shown.ours, shown.theirs, shown.apart)
    return content, [each.numpy().tobytes() for each in drawn]


def _row(row: Row, first_line: int, *, held: bool) -> Json:
    return {
        "name": row.name,
        "verdict": verdict(row),
        "shape": None if row.shape is None else list(row.shape),
        "dtype": row.dtype,
        "difference": _finite(row.max_abs),
        "relative": _finite(row.max_rel),
        "reason": row.reason,
        "since": None if row.since is None else row.since - first_line,
        "held": held,
    }


def _peak(top: Peak) -> Json:
    return {
        "index": list(top.index),
        "torch": f"{top.ours:.9g}",
        "target": f"{top.theirs:.9g}",
        "near": top.near,
        "spans": [[each.size, each.indices, each.first, each.last] for each in top.spans],
    }


def _finite(value: float | None) -> float | None:
    """Return the number; an infinite one becomes one that is larger than any."""
    return value if value is None or math.isfinite(value) else 1e308
