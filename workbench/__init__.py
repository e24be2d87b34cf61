"""Torchferry's engine, which reads torch code, converts it, and proves the result equal.

Everything is imported when it is first used: editors check code on machines without torch or a
target framework, and checking does not load code that writes code.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from workbench.version import __version__

if TYPE_CHECKING:
    from workbench.convert.checking import check, check_analysis
    from workbench.convert.conversion import Conversion, convert
    from workbench.convert.fixing import fix_together
    from workbench.convert.notebook.cell import convert_cell
    from workbench.convert.project.runner import convert_project
    from workbench.errors import SourceError, TorchferryError, UnknownTargetError
    from workbench.findings import Certainty, Edit, Finding, Fix, Severity, apply_edits
    from workbench.positions import Lines, Position, Range
    from workbench.source.analysis import Analysis, analyse

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

# Packages that can be called, and the modules of the other names.
_ROOMS = ("capture", "convert", "lower")
_HOME = {
    "Analysis": "source.analysis",
    "Certainty": "findings",
    "Conversion": "convert.conversion",
    "Edit": "findings",
    "Finding": "findings",
    "Fix": "findings",
    "Lines": "positions",
    "Position": "positions",
    "Range": "positions",
    "Severity": "findings",
    "SourceError": "errors",
    "TorchferryError": "errors",
    "UnknownTargetError": "errors",
    "analyse": "source.analysis",
    "apply_edits": "findings",
    "carry": "weights",
    "check": "convert.checking",
    "check_analysis": "convert.checking",
    "convert_cell": "convert.notebook.cell",
    "convert_project": "convert.project.runner",
    "fix_together": "convert.fixing",
}


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"workbench.{name}")
    if name in _HOME:
        return getattr(import_module(f"workbench.{_HOME[name]}"), name)
    raise AttributeError(f"module 'workbench' has no attribute {name!r}")
