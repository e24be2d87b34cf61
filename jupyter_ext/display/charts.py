"""Loss curves of both sides in one small drawing, as inline SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from workbench.compare import Curve

_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 350, 130, 54, 18
_MOST_POINTS = 400


def charts(curves: Sequence[Curve], target: str) -> str:
    """One figure per curve; torch's is the broad line under the target's."""
    figures = "".join(_figure(curve, target) for curve in curves)
    return f'<div class="tf-part tf-charts">{figures}</div>' if figures else ""


def _figure(curve: Curve, target: str) -> str:
    values = [value for value in (*curve.torch, *curve.target) if math.isfinite(value)]
    if not values:
        return ""
    low, high = min(values), max(values)
    if low == high:
        low, high = low - 0.5, high + 0.5
    count = max(len(curve.torch), len(curve.target))
    top, base = 6, _HEIGHT - _BOTTOM
    axes = f"M{_LEFT} {top}V{base}H{_WIDTH - 4}"
    label = f"{curve.name}: torch and {target}, {count} values"
    return (
        f'<figure><svg width="{_WIDTH}" height="{_HEIGHT}" role="img" '
        f'aria-label="{escape(label)}">'
        f'<path class="tf-axis" d="{axes}"/>'
        f'<path class="tf-a" d="{_path(curve.torch, count, low, high)}"/>'
        f'<path class="tf-b" d="{_path(curve.target, count, low, high)}"/>'
        f'<text x="{_LEFT - 5}" y="{top + 8}" text-anchor="end">{high:.3g}</text>'
        f'<text x="{_LEFT - 5}" y="{base}" text-anchor="end">{low:.3g}</text>'
        f'<text x="{_WIDTH - 4}" y="{_HEIGHT - 4}" text-anchor="end">{count}</text>'
        f'<text x="{_LEFT}" y="{_HEIGHT - 4}">1</text></svg>'
        f"<figcaption>{escape(curve.name)}: "
        f'<span class="tf-torch">torch</span> under <span class="tf-target">{escape(target)}</span>'
        f"</figcaption></figure>"
    )


def _path(values: Sequence[float], count: int, low: float, high: float) -> str:
    top, base, right = 6, _HEIGHT - _BOTTOM, _WIDTH - 4
    step = max(1, math.ceil(len(values) / _MOST_POINTS))
    picked = sorted({*range(0, len(values), step), len(values) - 1}) if values else []
    path, pen = [], "M"
    for index in picked:
        value = values[index]
        if not math.isfinite(value):
            pen = "M"
            continue
        x = _LEFT + (right - _LEFT) * index / max(1, count - 1)
        y = base - (base - top) * (value - low) / (high - low)
        path.append(f"{pen}{x:.1f} {y:.1f}")
        pen = "L"
    return "".join(path)
