"""Hiding of tracing from the model's own code.

Libraries ask whether they are traced, and then skip what a graph could not hold: checking whether a
mask can be dropped, or validation. Skipping it may change the result.
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
    """Metaclass for which, outside torch, no tensor is a fake one."""

    def __instancecheck__(cls, value: object) -> bool:
        return is_torch(sys._getframe(1).f_code.co_filename) and isinstance(value, FakeTensor)


class _Hidden(metaclass=_Real):
    """Replacement for `FakeTensor` where a model looks it up."""


@contextmanager
def unseen() -> Iterator[None]:
    """Report to code outside torch that nothing is being traced, while open."""
    with ExitStack() as patches:
        patches.enter_context(patch.object(torch._subclasses, "FakeTensor", _Hidden))
        for name in _QUESTIONS:
            answer = _denied(getattr(torch.compiler, name))
            patches.enter_context(patch.object(torch.compiler, name, answer))
        yield


def _denied(original: Callable[[], bool]) -> Callable[[], bool]:
    def answer() -> bool:
        return is_torch(sys._getframe(1).f_code.co_filename) and original()

    return answer
