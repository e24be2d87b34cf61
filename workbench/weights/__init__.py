"""Transfer of weights from torch to another framework, from files or live objects."""

from __future__ import annotations

from workbench.weights.carrying import Carried, Unfit, carry
from workbench.weights.errors import WeightsError

__all__ = ["Carried", "Unfit", "WeightsError", "carry"]
