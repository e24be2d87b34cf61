"""Functions that state their own backward pass, of which a graph keeps the forward pass alone."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from torch.autograd import Function

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def noted() -> Iterator[set[str]]:
    """The names of a model's `torch.autograd.Function` classes that are called while open."""
    found: set[str] = set()
    original = Function.apply.__func__  # type: ignore[attr-defined]

    def apply(cls: type[Function], *args: Any, **kwargs: Any) -> Any:
        if cls.__module__.partition(".")[0] != "torch":
            found.add(cls.__name__)
        return original(cls, *args, **kwargs)

    with patch.object(Function, "apply", classmethod(apply)):
        yield found
