"""Control of garbage collection."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_kept = False  # gc.get_freeze_count() counts one by one


def keep_all() -> None:
    """Leave the objects that are alive now out of every later collection."""
    global _kept
    gc.freeze()
    _kept = True


@contextmanager
def no_collection() -> Iterator[None]:
    """Disable the garbage collector, which would double the time for large files.

    Objects that are created meanwhile move to the oldest generation by `gc.freeze` and `unfreeze`:
    collecting them as young objects would take a sixth of the time again.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if not _kept:
                gc.freeze()
                gc.unfreeze()
            gc.enable()
