"""Worker processes that start afresh, whatever the program that asks for them is."""

from __future__ import annotations

import sys
from multiprocessing import get_context
from multiprocessing.context import SpawnContext


def fresh_processes() -> SpawnContext:
    """The context whose processes are spawned: a fork would take over half of the threads' locks.

    `multiprocessing` asks the main module for its `__spec__`, which a notebook's has no more after
    `%reset`.
    """
    vars(sys.modules["__main__"]).setdefault("__spec__", None)
    return get_context("spawn")
