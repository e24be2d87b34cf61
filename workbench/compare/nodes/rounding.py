"""The rounding that explains a node's difference, measured by torch's float32 against float64.

A difference is compared with the distance of torch's own result from the same operation in twice
the precision. Shape and dtype are compared before any value.
"""

from __future__ import annotations

from typing import Any

import torch

# Another order of summation changes a result by a few times the effect of rounding. Single
# operations may differ by some units in the last place in addition.
_GAPS = 24.0
_ULPS = 16.0
_DOUBLE = 1e-10
_NARROW = frozenset({torch.float16, torch.bfloat16, torch.float32})


def wide(value: Any) -> Any:
    """Return the value in float64 or complex128 if it is a narrower float."""
    if isinstance(value, torch.Tensor):
        if value.dtype in _NARROW:
            return value.double()
        return value.to(torch.complex128) if value.dtype is torch.complex64 else value
    if isinstance(value, (tuple, list)):
        return type(value)(wide(item) for item in value)
    return value


def wide_dtype(value: Any) -> Any:
    """Return float64 for a narrower float dtype, and anything else unchanged."""
    return torch.float64 if isinstance(value, torch.dtype) and value in _NARROW else value


def is_narrow(value: Any) -> bool:
    """Return whether it is a tensor that float64 represents more exactly."""
    return isinstance(value, torch.Tensor) and value.dtype in (*_NARROW, torch.complex64)


def distance(value: Any, exact: Any) -> float | None:
    """Return how far torch's result is from the same operation in float64, or None."""
    if not isinstance(value, torch.Tensor) or not isinstance(exact, torch.Tensor):
        return None
    if value.shape != exact.shape or not value.numel() or not _inexact(value):
        return 0.0
    return _largest(value, exact)


def judge(
    ours: Any, theirs: Any, gap: float, given: list[Any], *, values: bool, rounded: bool = False
) -> tuple[float, float, str]:
    """Return the difference, its limit, and the error or ""; type and shape come first."""
    if not isinstance(theirs, torch.Tensor):
        if isinstance(ours, torch.Tensor) or ours != theirs:
            return 0.0, 0.0, f"is {ours!r} and not {theirs!r}"
        return 0.0, 0.0, ""
    if not isinstance(ours, torch.Tensor):
        return 0.0, 0.0, f"is a {type(ours).__name__} and not a tensor"
    if ours.shape != theirs.shape:
        return 0.0, 0.0, f"has shape {list(ours.shape)} and not {list(theirs.shape)}"
    if ours.dtype != theirs.dtype:
        return 0.0, 0.0, f"is {_name(ours)} and not {_name(theirs)}"
    if not values or not theirs.numel():
        return 0.0, 0.0, ""
    if not _inexact(theirs):
        wrong = int((ours != theirs).sum())
        return (
            float(wrong > 0),
            0.0,
            f"{wrong} of {theirs.numel()} elements differ" if wrong else "",
        )
    if not torch.equal(ours.isnan(), theirs.isnan()):
        return float("nan"), 0.0, "NaN is at other positions"
    infinite = theirs.isinf() | ours.isinf()
    if not torch.equal(ours[infinite].nan_to_num(), theirs[infinite].nan_to_num()):
        return float("inf"), 0.0, "infinity is at other positions"
    scale = (
        float(theirs.nan_to_num(0.0, 0.0, 0.0).abs().max())
        if not theirs.is_complex()
        else (float(theirs.abs().max()))
    )
    limit = _GAPS * gap + _ULPS * torch.finfo(theirs.dtype).eps * scale
    if theirs.dtype in (torch.float64, torch.complex128):
        # There is no wider arithmetic to measure rounding, and targets keep some constants (an
        # epsilon) in single precision: the inputs determine the scale.
        reach = [float(t.abs().nan_to_num(0.0, 0.0, 0.0).max()) for t in given if _measurable(t)]
        limit = max(limit, _DOUBLE * max([scale, *reach]))
        if rounded:
            limit = max(limit, _ULPS * torch.finfo(torch.float32).eps * scale)
    difference = _largest(ours, theirs)
    if difference <= limit:
        return difference, limit, ""
    return difference, limit, f"off by {difference:.3g}, where rounding explains {limit:.3g}"


def _largest(a: torch.Tensor, b: torch.Tensor) -> float:
    """Return the largest distance of two tensors of the same shape where both are finite."""
    wide = torch.complex128 if a.is_complex() or b.is_complex() else torch.float64
    a, b = a.to(wide), b.to(wide)
    apart = (a - b).abs()
    both = a.isfinite() & b.isfinite()
    return float(torch.where(both, apart, torch.zeros_like(apart)).max()) if a.numel() else 0.0


def _inexact(value: torch.Tensor) -> bool:
    return value.dtype.is_floating_point or value.dtype.is_complex


def _measurable(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and _inexact(value) and value.numel() > 0


def _name(value: torch.Tensor) -> str:
    return str(value.dtype).removeprefix("torch.")
