"""Lowering of a captured graph to a module of another framework, with islands of torch."""

from __future__ import annotations

from workbench.calling import make_callable
from workbench.lower.backend import (
    Backend,
    Line,
    LowerError,
    Session,
    Training,
    Unsupported,
    Written,
)
from workbench.lower.learning import with_loss
from workbench.lower.lowered import Fallback, Lowered
from workbench.lower.lowering import lower
from workbench.lower.partition import Island

make_callable(__name__)

__all__ = [
    "Backend",
    "Fallback",
    "Island",
    "Line",
    "LowerError",
    "Lowered",
    "Session",
    "Training",
    "Unsupported",
    "Written",
    "lower",
    "with_loss",
]
