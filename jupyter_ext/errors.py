"""The one error that the magics raise on bad input."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NoReturn

from IPython.core.error import UsageError


class ConvertError(UsageError):
    """A cell that cannot be converted or run, told in one message without a traceback."""

    def _render_traceback_(self) -> list[str]:
        """What IPython shows of it."""
        return [f"{type(self).__name__}: {self}"]


def raise_as_own(error: Exception, shell: Any, filename: str) -> NoReturn:
    """Raise an exception of the user's cell, shown from the cell's own code on.

    `filename` is the name under which the cell was compiled.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != filename:
        trace = trace.tb_next
    kept = trace or error.__traceback__
    lines = shell.InteractiveTB.structured_traceback(type(error), error, kept)
    with suppress(AttributeError):  # a class may have no place for it
        error._render_traceback_ = lambda: lines  # type: ignore[attr-defined]
    raise error
