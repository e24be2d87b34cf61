"""torch's drift under perturbed rounding, which differences are compared with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch

from workbench.compare.judging.torch_side import Heard

Leaves = dict[str, Any]  # tensors (as `Kept`) and numbers (as tensors) by path


@dataclass(frozen=True, slots=True)
class Kept:
    """A tensor with a copy of its value at that time."""

    source: torch.Tensor
    copy: torch.Tensor
    gradient: torch.Tensor | None


@dataclass(slots=True)
class Drift:
    """Largest changes of torch's values; 0 for values that did not change or were not found."""

    _tensors: dict[int, float] = field(default_factory=dict)
    _gradients: dict[int, float] = field(default_factory=dict)
    _numbers: dict[str, torch.Tensor] = field(default_factory=dict)
    _losses: dict[int, torch.Tensor] = field(default_factory=dict)
    _relative: float = 0.0  # the largest change of a loss, relative to the largest loss
    outputs: list[str] = field(default_factory=list)  # printed output of the runs

    def of(self, tensor: torch.Tensor) -> float:
        """Return the largest change of a tensor's elements."""
        return self._single(self._tensors.get(id(tensor), 0.0), tensor)

    def of_gradient(self, parameter: torch.Tensor) -> float:
        """Return the largest change of the elements of a parameter's gradient."""
        return self._gradients.get(id(parameter), 0.0)

    def of_number(self, name: str, value: torch.Tensor) -> float | torch.Tensor:
        """Return the change of a number, a list of numbers or an array, by its row's name."""
        moved = self._numbers.get(name)
        if moved is None or moved.shape != value.shape:
            return 0.0
        return moved if moved.numel() != 1 else self._single(float(moved), value)

    def _single(self, moved: float, value: torch.Tensor) -> float:
        """Return the change of a single number, at least the losses' relative change if it moved at
        all.
        """
        if not moved or value.numel() != 1:
            return moved
        return max(moved, self._relative * abs(float(value.detach())))

    def of_losses(self, line: int) -> torch.Tensor | None:
        """Return the largest change of each loss of a line up to that step, or None."""
        return self._losses.get(line)

    def note(self, before: Leaves, after: Leaves) -> None:
        """Add the differences of a run's final values from those of the first run."""
        for path, value in before.items():
            other = after.get(path)
            if isinstance(value, Kept) and isinstance(other, Kept):
                _raise(self._tensors, id(value.source), _apart(value.copy, other.copy))
                if value.gradient is not None and other.gradient is not None:
                    apart = _apart(value.gradient, other.gradient)
                    _raise(self._gradients, id(value.source), apart)
            elif isinstance(value, torch.Tensor) and isinstance(other, torch.Tensor):
                self._numbers[path] = _further(self._numbers.get(path), value, other)

    def note_losses(self, before: Heard, after: Heard) -> None:
        """Add the differences of a run's losses from those of the first run."""
        for line, values in before.losses.items():
            others = after.losses.get(line, [])
            if len(others) != len(values):
                continue
            one, other = (torch.stack(each).double().cpu() for each in (values, others))
            self._losses[line] = moved = _further(self._losses.get(line), one, other)
            scale = float(one.abs().max())
            if scale:
                self._relative = max(self._relative, float(moved.max()) / scale)


def _apart(one: torch.Tensor, other: torch.Tensor) -> float:
    if one.shape != other.shape or not one.numel() or one.dtype == torch.bool:
        return 0.0
    wide = torch.complex128 if one.is_complex() else torch.float64
    gap = (one.to(wide) - other.to(wide)).abs()
    return float(torch.where(gap.isfinite(), gap, 0.0).max())


def _further(known: torch.Tensor | None, one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Return the running maximum of the changes in a series: later values build on earlier ones."""
    if one.shape != other.shape or not one.numel():
        return torch.zeros_like(one) if known is None else known
    moved = (one - other).abs().nan_to_num(0.0, 0.0)
    moved = moved.cummax(0).values if moved.dim() == 1 else moved
    return moved if known is None else torch.maximum(known, moved)


def _raise(into: dict[Any, float], key: Any, value: float) -> None:
    into[key] = max(into.get(key, 0.0), value)
