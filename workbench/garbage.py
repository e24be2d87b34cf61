"""When garbage is collected."""

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
    """Without the garbage collector: it doubles the time that large files take.

    What was made meanwhile goes to the oldest generation unseen, as `gc.freeze` and `unfreeze`
    move it: a collection of it as young would take a sixth of the time again.
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
