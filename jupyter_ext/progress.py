"""How far a running cell has come, shown once it takes long; interrupting the kernel cancels it."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

_AFTER = 1.0
# Output that a port lacks when outputs are compared.
_OWN = {"torchferry": "progress"}


class Progress:
    """A line under the running cell; at the end it says how far the cell came, and how long."""

    def __init__(self, *, shown: bool = True) -> None:
        self._shown = shown
        self._start = time.monotonic()
        self._handle: Any = None
        self._text = ""

    def __enter__(self) -> Progress:
        return self

    def step(self, done: int, steps: int) -> None:
        """Note the number of finished steps of the cell."""
        if not self._shown or time.monotonic() - self._start < _AFTER:
            return
        from IPython import display

        self._text = f"{done} of {steps} statements ran on both sides"
        texts = {
            "text/plain": f"{self._text}; interrupt to cancel",
            "text/html": f'<progress max="{steps}" value="{done}" style="width:160px"></progress> '
            + _quiet(f"{self._text}; interrupt the kernel to cancel"),
        }
        if self._handle is None:
            show: Any = display.display
            self._handle = show(texts, raw=True, display_id=True, metadata=_OWN)
        else:
            self._handle.update(texts, raw=True, metadata=_OWN)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._handle is not None:
            # A cleared output would remain as an empty one.
            ended = "" if kind is None else ", then it was stopped"
            text = f"{self._text} in {time.monotonic() - self._start:.0f} s{ended}"
            ended_as = {"text/plain": text, "text/html": _quiet(text)}
            self._handle.update(ended_as, raw=True, metadata=_OWN)


class Importing:
    """Says that packages are imported, which takes seconds, and at last how many."""

    def __init__(self, packages: tuple[str, ...], *, shown: bool = True) -> None:
        self._packages = [one for one in packages if one not in sys.modules] if shown else []
        self._start = time.monotonic()
        self._handle: Any = None

    def __enter__(self) -> Importing:
        if self._packages:
            from IPython import display

            show: Any = display.display
            texts = self._texts("Importing", " …")
            self._handle = show(texts, raw=True, display_id=True, metadata=_OWN)
        return self

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            taken = f" in {time.monotonic() - self._start:.0f} s"
            self._handle.update(self._texts("Imported", taken), raw=True, metadata=_OWN)

    def _texts(self, word: str, end: str) -> dict[str, str]:
        text = f"{word} {' and '.join(self._packages)}{end}"
        return {"text/plain": text, "text/html": _quiet(text)}


def _quiet(text: str) -> str:
    """Return HTML of a text in a small and pale font."""
    return f'<span style="font-size:85%;opacity:.7">{text}</span>'
