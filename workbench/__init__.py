"""Torchferry's engine: reads torch code, converts it, and proves that the result is the same.

Everything that needs torch or a target framework is imported when it is first asked for: an
editor uses `check` and `convert` on machines that have neither.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from workbench.convert.conversion import Conversion, check, check_analysis, convert
from workbench.convert.fixing import fix_together
from workbench.convert.notebook.cell import convert_cell
from workbench.errors import SourceError, TorchferryError, UnknownTargetError
from workbench.findings import Certainty, Edit, Finding, Fix, Severity, apply_edits
from workbench.positions import Lines, Position, Range
from workbench.source.analysis import Analysis, analyse
from workbench.version import __version__

__all__ = [
    "Analysis",
    "Certainty",
    "Conversion",
    "Edit",
    "Finding",
    "Fix",
    "Lines",
    "Position",
    "Range",
    "Severity",
    "SourceError",
    "TorchferryError",
    "UnknownTargetError",
    "__version__",
    "analyse",
    "apply_edits",
    "check",
    "check_analysis",
    "convert",
    "convert_cell",
    "convert_project",
    "fix_together",
]

# What needs torch, or a while to import: packages that can be called themselves, and functions by
# where they live.
_ROOMS = ("capture", "lower")
_FUNCTIONS = {"carry": "workbench.weights", "convert_project": "workbench.convert.project.runner"}


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"workbench.{name}")
    if name in _FUNCTIONS:
        return getattr(import_module(_FUNCTIONS[name]), name)
    raise AttributeError(f"module 'workbench' has no attribute {name!r}")
