"""Packages that can be called: `workbench.capture(model, args)` is `workbench.capture.capture`.

The public functions have the names of their packages. Python binds a package to its name in
`workbench` when it is imported, so that the package itself has to be callable.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class CallableModule(ModuleType):
    """A package that calls its function of the same name."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return getattr(self, self.__name__.rpartition(".")[2])(*args, **kwargs)


def make_callable(name: str) -> None:
    """Make the package of this name callable."""
    sys.modules[name].__class__ = CallableModule
