"""Comparison of two tensors: shape, dtype, patterns of NaN and infinity, then differences."""

from __future__ import annotations

import torch

from workbench.compare.judging.tolerance import Tolerance
from workbench.compare.result import ErrorPicture, Origin, Row

# A value this much smaller than the numbers it was summed from contains only rounding.
CANCELLED = 1e-4
# Factor of the change in a few perturbed runs of torch. In 20 trainings of a convolutional network,
# the losses were within 0.5 times, the weights and moments within 2 times.
DRIFTS = 3.0
_PICTURED = 1 << 18
_GRID = (24, 48)
_BINS = 24


def short(dtype: torch.dtype) -> str:
    """Return the dtype's name without its framework."""
    return str(dtype).removeprefix("torch.")


def tensor_row(
    name: str,
    torch_value: torch.Tensor,
    target_value: torch.Tensor,
    tolerance: Tolerance,
    *,
    noise: float = 0.0,
    drift: float | torch.Tensor = 0.0,
    origin: Origin = Origin.COMPUTED,
) -> Row:
    """Compare the target's value (as a torch tensor) with torch's.

    `noise` is the magnitude of the numbers that the value was computed from, if known to be larger
    than the value: a gradient that cancels to zero has their rounding. `drift` is the change of
    torch's own value under perturbed rounding, or of each element; a few times that is not a
    difference.
    """
    left, right = torch_value.detach(), target_value.detach().to(torch_value.device)
    shape, dtype = tuple(left.shape), short(left.dtype)
    if reason := _unlike(left, right):
        return Row(name, shape, dtype, None, None, False, reason, origin)
    if left.numel() == 0:
        return Row(name, shape, dtype, 0.0, 0.0, True, "", origin, 0.0)
    wide = torch.complex128 if left.is_complex() else torch.float64
    a, b = left.to(wide), right.to(wide)
    if reason := _unlike_patterns(a, b):
        return Row(name, shape, dtype, None, None, False, reason, origin)
    finite = torch.isfinite(a)
    error = torch.where(finite, (a - b).abs(), 0.0)
    scale = float(torch.where(finite, a.abs(), 0.0).max())
    largest = float(error.max())
    limit = tolerance.limit(dtype)
    # A value far below its summands has cancelled, and contains only their rounding.
    share = 1.0 if scale < CANCELLED * noise else 0.1
    allowed = limit.relative * max(scale, noise * share) + limit.absolute
    off = error > allowed
    same, reason, within = True, "", None
    if bool(off.any()):
        same, reason, within = _by_drift(error, allowed, drift)
    elif 0 < scale <= limit.absolute and largest > 0:
        reason = "so small that only the absolute limit judges it"
    pictured = 1 < error.numel() <= _PICTURED and largest > 0
    return Row(
        name,
        shape,
        dtype,
        largest,
        largest / scale if scale else largest,
        same,
        reason,
        origin,
        float(off.double().mean()),
        within,
        draw(error) if pictured else None,
    )


def _unlike(left: torch.Tensor, right: torch.Tensor) -> str:
    """Return how two tensors differ in shape or dtype, or ""."""
    if left.shape != right.shape:
        return (
            f"shape {_size(tuple(left.shape))} in torch, {_size(tuple(right.shape))} in the target"
        )
    if left.dtype != right.dtype:
        return f"dtype {short(left.dtype)} in torch, {short(right.dtype)} in the target"
    return ""


def _unlike_patterns(a: torch.Tensor, b: torch.Tensor) -> str:
    """Return how two tensors of one shape differ in NaN or infinity patterns, or ""."""
    for what, test in (("NaN", torch.isnan), ("infinity", torch.isinf)):
        count = int((test(a) != test(b)).sum())
        if count:
            return f"{what} on one side only at {count} of {a.numel()} elements"
    infinite = torch.isinf(a)
    if bool((a[infinite] != b[infinite]).any()):
        return "infinities of opposite sign"
    return ""


def _by_drift(
    error: torch.Tensor, allowed: float, drift: float | torch.Tensor
) -> tuple[bool, str, float | None]:
    """Return whether errors above the limit are torch's own drift, the reason, and the drift or
    None.
    """
    furthest = float(torch.as_tensor(drift).max())
    beyond = error.numel() - int((error <= allowed + DRIFTS * drift).sum())
    if not beyond:
        return True, f"torch itself drifts by {furthest:.1e} if rounding is perturbed", furthest
    bound = allowed + DRIFTS * furthest
    return False, f"{beyond} of {error.numel()} elements off, limit {bound:.1e}", None


def draw(error: torch.Tensor) -> ErrorPicture:
    """Return the errors as a histogram and a small grid of maxima (rows: leading dimensions)."""
    flat = error.reshape(-1, error.shape[-1]) if error.dim() else error.reshape(1, 1)
    rows, columns = (min(n, most) for n, most in zip(flat.shape, _GRID, strict=True))
    pooled = torch.nn.functional.adaptive_max_pool2d(flat[None, None], (rows, columns))[0, 0]
    logs = error[error > 0].log10()
    low, high = float(logs.min()), float(logs.max())
    high = high if high > low else low + 1.0
    counts = torch.histc(logs, _BINS, low, high)
    edges = torch.linspace(low, high, _BINS + 1)
    return ErrorPicture(
        tuple(tuple(line) for line in pooled.tolist()),
        tuple(int(count) for count in counts.tolist()),
        tuple(edges.tolist()),
    )


def _size(shape: tuple[int, ...]) -> str:
    return "×".join(map(str, shape)) or "scalar"
