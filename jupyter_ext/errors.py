"""The one error that the magics raise on bad input."""

from __future__ import annotations

from IPython.core.error import UsageError


class ConvertError(UsageError):
    """A cell that cannot be converted or run; the error is one message without a traceback."""

    def _render_traceback_(self) -> list[str]:
        """Return the text that IPython shows for the error."""
        return [f"{type(self).__name__}: {self}"]
