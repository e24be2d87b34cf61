"""Code that runs without showing anything in the notebook."""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_STDERR = 2  # sys.stderr of a kernel has another stream, and shows what reaches this one


@contextmanager
def muted() -> Iterator[None]:
    """Keep everything displayed or drawn inside the block from the notebook."""
    figures = getattr(sys.modules.get("matplotlib._pylab_helpers"), "Gcf", None)
    kept = figures.figs.copy() if figures else None
    if figures is not None:
        figures.figs.clear()  # the present figure would be drawn into
    with _nothing_displayed(), _no_native_warnings():
        try:
            yield
        finally:
            if figures is not None and kept is not None:
                figures.figs.clear()
                figures.figs.update(kept)


def _nothing_displayed() -> AbstractContextManager[Any]:
    from IPython import get_ipython

    publisher = getattr(get_ipython(), "display_pub", None)
    if hasattr(publisher, "register_hook"):
        return _dropped(publisher)
    return nullcontext()  # it is printed, where nobody reads it


@contextmanager
def _dropped(publisher: Any) -> Iterator[None]:
    """Drop all messages that this thread publishes.

    The kernel's publisher stays in place: other threads note their messages there meanwhile, and
    would fail if it were replaced.
    """

    def drop(_message: Any) -> None:
        return None

    publisher.register_hook(drop)
    try:
        yield
    finally:
        publisher.unregister_hook(drop)


@contextmanager
def _no_native_warnings() -> Iterator[None]:
    """Drop the warnings of compiled code, which writes them to the process's standard error."""
    try:
        kept = os.dup(_STDERR)
    except OSError:  # the process has none
        yield
        return
    try:
        with Path(os.devnull).open("wb") as nothing:
            os.dup2(nothing.fileno(), _STDERR)
        yield
    finally:
        os.dup2(kept, _STDERR)
        os.close(kept)
