"""Decide whether a difference is rounding, measured by perturbing torch's starting values.

In double precision the sides agree to many digits, except for what either side computes in single
precision. So the perturbation has the size of a single-precision rounding there too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

from workbench.compare.judging.tensors import tensor_row
from workbench.compare.judging.tolerance import Tolerance
from workbench.verify.result import Figure

ROUNDING = 2.0**-24
# Another order of summation changes a result by a few times the effect of one rounding.
_GAPS = {torch.float64: 8.0, torch.float32: 24.0}
_RELATIVE = {torch.float64: 1e-7, torch.float32: 2e-6}

Values = Mapping[str, torch.Tensor | None]


def figures(ours: Values, theirs: Values, moved: Sequence[Values], what: str = "") -> list[Figure]:
    """Compare every value of both sides; `moved` holds torch's values from perturbed starts."""
    found = []
    scale = max([_largest(v) for v in ours.values() if v is not None], default=0.0)
    for name, value in ours.items():
        label = f"{what}{name}"
        other = theirs.get(name)
        if value is None or other is None:
            nothing = all(v is None or not bool(v.any()) for v in (value, other))
            side = "the port" if value is not None else "the original"
            found.append(Figure(label, nothing, reason="" if nothing else f"{side} has none"))
        else:
            gap = max([_gap(value, one.get(name)) for one in moved], default=0.0)
            found.append(figure(label, value, other, gap, scale if "gradient" in what else 0.0))
    return found


def figure(
    name: str, ours: torch.Tensor, theirs: torch.Tensor, gap: float, noise: float = 0.0
) -> Figure:
    """Compare one value of both sides."""
    relative = _RELATIVE.get(ours.dtype, 1e-2)
    floor = 1e-13 if ours.dtype == torch.float64 else 1e-7
    absolute = _GAPS.get(ours.dtype, 24.0) * gap + floor + 1e-3 * relative * noise
    # A kernel keeps its own scalar settings in single precision on either side.
    limit = relative * _largest(ours) + absolute
    held = limit if ours.dtype == torch.float64 else absolute
    row = tensor_row(name, ours, theirs, Tolerance(relative=relative, absolute=held))
    reason = row.reason
    if row.max_abs is not None and not row.same:
        reason = f"off by {row.max_abs:.3g}, where rounding explains {limit:.2g}"
    return Figure(name, bool(row.same), row.max_abs, limit, reason)


def _gap(value: torch.Tensor, moved: torch.Tensor | None) -> float:
    if moved is None or moved.shape != value.shape or not value.is_floating_point():
        return 0.0
    return _largest(value - moved)


def _largest(value: torch.Tensor) -> float:
    if not value.numel() or not value.is_floating_point():
        return 0.0
    return float(value.detach().double().nan_to_num(0.0, 0.0, 0.0).abs().max())
