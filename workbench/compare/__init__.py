"""Comparison of two runs of the same code in two frameworks, value by value.

Importing this package loads neither torch nor a target; importing `workbench.compare.cells.session`
loads both.
"""

from workbench.compare.judging.tolerance import Limit, Tolerance
from workbench.compare.result import Carried, Comparison, Curve, Origin, Row, Run, RunError

__all__ = [
    "Carried",
    "Comparison",
    "Curve",
    "Limit",
    "Origin",
    "Row",
    "Run",
    "RunError",
    "Tolerance",
]
