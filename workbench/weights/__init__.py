"""Weights from torch to another framework: checkpoints, state dicts, live modules, optimizers."""

from __future__ import annotations

from workbench.weights.carrying import Carried, Unfit, carry
from workbench.weights.errors import WeightsError

__all__ = ["Carried", "Unfit", "WeightsError", "carry"]
