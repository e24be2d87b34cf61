"""The one error that the magics raise on bad input."""

from __future__ import annotations

from IPython.core.error import UsageError


class ConvertError(UsageError):
    """A cell that cannot be converted or run, told in one message without a traceback."""

    def _render_traceback_(self) -> list[str]:
        """What IPython shows of it."""
        return [f"{type(self).__name__}: {self}"]
