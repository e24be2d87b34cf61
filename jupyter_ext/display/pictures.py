"""Where a tensor's two values differ: a heat map and a histogram, as inline SVG."""

from __future__ import annotations

import math

from workbench.compare.result import ErrorPicture

_WIDTH, _HEIGHT = 340, 132
_LEFT, _BOTTOM = 30, 18
_SHADES = 24


def picture(error: ErrorPicture) -> str:
    """Return both drawings next to each other."""
    return f'<div class="tf-charts tf-picture">{heat_map(error)}{histogram(error)}</div>'


def heat_map(error: ErrorPicture) -> str:
    """Return the largest difference in each part of the tensor, the last dimension across."""
    rows, columns = len(error.grid), len(error.grid[0])
    top = max(max(line) for line in error.grid) or 1.0
    wide, high = _WIDTH / columns, _HEIGHT / rows
    shades: dict[float, str] = {}
    for y, line in enumerate(error.grid):
        for x, value in enumerate(line):
            if value:
                shade = _shade(value, top)
                shades[shade] = shades.get(shade, "") + f"M{x} {y}h1v1h-1z"
    # One path for each shade, since a notebook stores the drawing.
    scaled = f'transform="scale({wide:.4g} {high:.4g})"'
    cells = "".join(
        f'<path {scaled} fill-opacity="{shade:.2f}" d="{path}"/>' for shade, path in shades.items()
    )
    return _figure("heat map", f'<g class="tf-heat">{cells}</g>', f"differences up to {top:.1e}")


def histogram(error: ErrorPicture) -> str:
    """Return the counts of elements by their difference, on a logarithmic scale."""
    most = max(error.counts) or 1
    base, width = _HEIGHT - _BOTTOM, (_WIDTH - _LEFT) / len(error.counts)
    bars = "".join(
        f'<rect x="{_LEFT + i * width:.1f}" y="{base - base * count / most:.1f}" '
        f'width="{width - 1:.1f}" height="{base * count / most:.1f}">'
        f"<title>{count} near {10 ** error.edges[i]:.0e}</title></rect>"
        for i, count in enumerate(error.counts)
        if count
    )
    ends = (
        f'<text x="{_LEFT}" y="{_HEIGHT - 4}">{10 ** error.edges[0]:.0e}</text>'
        f'<text x="{_WIDTH}" y="{_HEIGHT - 4}" text-anchor="end">{10 ** error.edges[-1]:.0e}</text>'
        f'<text x="{_LEFT - 4}" y="10" text-anchor="end">{most}</text>'
    )
    axis = f'<path class="tf-axis" d="M{_LEFT} 0V{base}H{_WIDTH}"/>'
    drawing = f'{axis}<g class="tf-heat">{bars}</g>{ends}'
    return _figure("histogram", drawing, "elements by their difference")


def _shade(value: float, top: float) -> float:
    """Return a shade from faint at a thousandth of the largest difference to full, in steps."""
    share = 1 + math.log10(value / top) / 3 if value > 0 else 0.0
    return max(0.06, round(min(1.0, share) * _SHADES) / _SHADES)


def _figure(name: str, drawing: str, caption: str) -> str:
    return (
        f'<figure><svg width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label="{name}: '
        f'{caption}">{drawing}</svg><figcaption>{caption}</figcaption></figure>'
    )
