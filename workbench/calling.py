"""Packages that can be called: `workbench.capture(model, args)` is `workbench.capture.capture`.

The public face names a function as the room that it lives in. Python binds a package to its name
in `workbench` when the package is imported, so the package itself has to take the call.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class CallableModule(ModuleType):
    """A package whose call is the call of its function of the same name."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return getattr(self, self.__name__.rpartition(".")[2])(*args, **kwargs)


def make_callable(name: str) -> None:
    """Let the package of this name be called."""
    sys.modules[name].__class__ = CallableModule
