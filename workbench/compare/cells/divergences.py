"""Record of the statement after which a tensor's two values first differed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch

from workbench.compare.judging.tensors import short
from workbench.compare.judging.tolerance import Tolerance
from workbench.compare.result import Row
from workbench.targets.bridge import Bridge

if TYPE_CHECKING:
    from workbench.compare.cells.steps import Step

_MOST = 1 << 20  # larger tensors are compared only at the end


class Divergences:
    """The steps after which tensors differed for the first time, by name."""

    def __init__(self, bridge: Bridge, tolerance: Tolerance) -> None:
        self._bridge = bridge
        self._tolerance = tolerance
        self._since: dict[str, Step] = {}

    def note(
        self,
        step: Step,
        names: Collection[str],
        ours: Mapping[str, Any],
        theirs: Mapping[str, Any],
    ) -> None:
        """Compare the names that a step may have changed, after it."""
        for name in names:
            one, other = ours.get(name), theirs.get(name)
            if not isinstance(one, torch.Tensor) or not self._bridge.is_tensor(other):
                continue
            if one.numel() > _MOST or one.layout is not torch.strided:
                continue
            if self._are_apart(one.detach(), self._bridge.to_torch(other)):
                self._since.setdefault(name, step)
            else:
                self._since.pop(name, None)

    def with_lines(self, rows: Sequence[Row], steps: Sequence[Step], first_line: int) -> list[Row]:
        """Return the rows; different ones with the line since which they differ, if known."""
        return [
            replace(row, since=first_line + step.first)
            if row.same is False and (step := self._step(row, steps))
            else row
            for row in rows
        ]

    def _step(self, row: Row, steps: Sequence[Step]) -> Step | None:
        if row.name in self._since:
            return self._since[row.name]
        # If only one statement uses a name, that statement caused the difference.
        root = row.name.partition(".")[0].partition("[")[0]
        having = [step for step in steps if root in step.binds or root in step.needs]
        return having[0] if len(having) == 1 else None

    def _are_apart(self, one: torch.Tensor, other: torch.Tensor) -> bool:
        other = other.to(one.device)
        if one.shape != other.shape or one.dtype != other.dtype:
            return True
        if not one.numel() or torch.equal(one, other):
            return False
        if not (one.is_floating_point() or one.is_complex()):
            return True
        limit = self._tolerance.limit(short(one.dtype)).at(float(one.abs().max()))
        return float((one - other).abs().max()) > limit
