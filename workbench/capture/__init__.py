"""Capture of a live torch model as a graph whose nodes refer to the user's lines.

Importing this package does not import torch: `hazards` only reads source and must start quickly.
The names below are imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from workbench.calling import make_callable

if TYPE_CHECKING:
    from workbench.capture.errors import CaptureError
    from workbench.capture.export import capture, load
    from workbench.capture.graph import Graph, Kind, Location, Node, Value

_HOME = {
    "CaptureError": "errors",
    "Graph": "graph",
    "Kind": "graph",
    "Location": "graph",
    "Node": "graph",
    "Value": "graph",
    "capture": "export",
    "load": "export",
}

make_callable(__name__)

__all__ = ["CaptureError", "Graph", "Kind", "Location", "Node", "Value", "capture", "load"]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
