"""Loss curves of both sides, and their distance, as inline SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from workbench.compare.result import Curve

_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 350, 130, 54, 18
_MOST_POINTS = 400


def charts(curves: Sequence[Curve], target: str) -> str:
    """Return one figure per curve; torch's is the broad line below the target's."""
    figures = "".join(_figure(curve, target) + _distance(curve, target) for curve in curves)
    return f'<div class="tf-part tf-charts">{figures}</div>' if figures else ""


def _distance(curve: Curve, target: str) -> str:
    """Return the distance of the two sides, and torch's own drift if measured, in powers of ten."""
    if not curve.drift:
        return ""
    apart = [abs(a - b) for a, b in zip(curve.torch, curve.target, strict=False)]
    apart, own = ([_power(value) for value in values] for values in (apart, curve.drift))
    values = [value for value in (*apart, *own) if math.isfinite(value)]
    if not values:
        return ""
    low, high = math.floor(min(values)), math.ceil(max(values))
    ends = (f"1e{high}", f"1e{low}")
    words = (
        f'<span class="tf-target">{escape(target)}</span> from torch, '
        '<span class="tf-torch">torch, perturbed</span>'
    )
    label = f"{curve.name}: distance of {target} from torch, and of torch perturbed by rounding"
    return _drawing((own, apart), (low, max(high, low + 1)), ends, label, f"distance: {words}")


def _power(value: float) -> float:
    return math.log10(value) if value > 0 else math.nan


def _figure(curve: Curve, target: str) -> str:
    values = [value for value in (*curve.torch, *curve.target) if math.isfinite(value)]
    if not values:
        return ""
    low, high = min(values), max(values)
    if low == high:
        low, high = low - 0.5, high + 0.5
    label = f"{curve.name}: torch and {target}, {len(curve.torch)} values"
    words = (
        f'{escape(curve.name)}: <span class="tf-torch">torch</span> and '
        f'<span class="tf-target">{escape(target)}</span>'
    )
    if curve.parts is not None:
        words += f", different from step {curve.parts} on"
    ends = (f"{high:.3g}", f"{low:.3g}")
    series = (curve.torch, curve.target)
    return _drawing(series, (low, high), ends, label, words, curve.parts)


def _drawing(
    lines: tuple[Sequence[float], Sequence[float]],
    span: tuple[float, float],
    ends: tuple[str, str],
    label: str,
    caption: str,
    parts: int | None = None,
) -> str:
    """Draw two lines over steps; `ends` label the upper and the lower end of `span`.

    `parts` is the step of a vertical line.
    """
    low, high = span
    count = max(len(line) for line in lines)
    top, base = 6, _HEIGHT - _BOTTOM
    axes = f"M{_LEFT} {top}V{base}H{_WIDTH - 4}"
    if parts is not None:
        place = _LEFT + (_WIDTH - 4 - _LEFT) * (parts - 1) / max(1, count - 1)
        axes += f"M{place:.1f} {top}V{base}"
    size = f'width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}"'
    return (
        f'<figure><svg {size} role="img" '
        f'aria-label="{escape(label)}">'
        f'<path class="tf-axis" d="{axes}"/>'
        f'<path class="tf-a" d="{_path(lines[0], count, low, high)}"/>'
        f'<path class="tf-b" d="{_path(lines[1], count, low, high)}"/>'
        f'<text x="{_LEFT - 5}" y="{top + 8}" text-anchor="end">{ends[0]}</text>'
        f'<text x="{_LEFT - 5}" y="{base}" text-anchor="end">{ends[1]}</text>'
        f'<text x="{_WIDTH - 4}" y="{_HEIGHT - 4}" text-anchor="end">{count}</text>'
        f'<text x="{_LEFT}" y="{_HEIGHT - 4}">1</text></svg>'
        f"<figcaption>{caption}</figcaption></figure>"
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
