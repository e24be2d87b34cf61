"""Control of garbage collection."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_kept = False  # gc.get_freeze_count() counts one by one


def keep_all() -> None:
    """Leave the objects that are alive now out of every later collection."""
    global _kept
    gc.freeze()
    _kept = True


def release_memory() -> None:
    """Collect garbage, and return freed memory to the system if the C library can."""
    import ctypes  # most processes never need it

    gc.collect()
    with suppress(AttributeError, OSError, TypeError):  # only glibc has it
        ctypes.CDLL(None).malloc_trim(0)


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
