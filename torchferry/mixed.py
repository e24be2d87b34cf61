"""Projects in which some modules are ported and others are still torch's.

`torchferry port --bridge` writes the lines that use this module, and removes them again.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from workbench.targets import DEFAULT

__all__ = ["in_torch"]


def in_torch(value: Any) -> Any:
    """Return what code in torch uses in place of a value of the target.

    A class of layers becomes a class of torch's modules, whose parameters share their memory with
    the layer's. A function takes and returns torch's tensors, and gradients pass through it. A
    value that is not the target's stays the same.

    Args:
        value: a class, a function, a module of Python, a layer, a tensor or a collection of them.
    """
    return import_module(f"workbench.targets.{DEFAULT}.carry.mixed").in_torch(value)
