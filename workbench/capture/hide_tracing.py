"""Tracing that the model's own code does not see.

Libraries ask whether they are traced, and then leave out what a graph could not hold: the look at a
mask that lets it be dropped, a check. What is left out may change what is computed.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING
from unittest.mock import patch

import torch
from torch._subclasses import FakeTensor

from workbench.capture.provenance import is_torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_QUESTIONS = ("is_compiling", "is_exporting", "is_dynamo_compiling")


class _Real(type):
    """Says to all but torch that no tensor is a fake one."""

    def __instancecheck__(cls, value: object) -> bool:
        return is_torch(sys._getframe(1).f_code.co_filename) and isinstance(value, FakeTensor)


class _Hidden(metaclass=_Real):
    """Stands in for `FakeTensor` where a model looks for it."""


@contextmanager
def unseen() -> Iterator[None]:
    """While open, code outside torch is told that nothing is being traced."""
    with ExitStack() as told:
        told.enter_context(patch.object(torch._subclasses, "FakeTensor", _Hidden))
        for name in _QUESTIONS:
            answer = _denied(getattr(torch.compiler, name))
            told.enter_context(patch.object(torch.compiler, name, answer))
        yield


def _denied(original: Callable[[], bool]) -> Callable[[], bool]:
    def answer() -> bool:
        return is_torch(sys._getframe(1).f_code.co_filename) and original()

    return answer
