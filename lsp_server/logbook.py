"""The last things that were logged, kept for a bug report."""

from __future__ import annotations

import logging
from collections import deque

_MOST = 300
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class Logbook(logging.Handler):
    """Remembers the last records as text."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.setFormatter(logging.Formatter(_FORMAT))
        self.lines: deque[str] = deque(maxlen=_MOST)

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


def start(level: str, file: str | None) -> Logbook:
    """Log to standard error and, where one is named, to a file; keep the last of it at hand."""
    book = Logbook()
    outputs: list[logging.Handler] = [logging.StreamHandler()]
    if file is not None:
        outputs.append(logging.FileHandler(file, encoding="utf-8", delay=True))
    for output in outputs:
        output.setLevel(level.upper())
        output.setFormatter(logging.Formatter(_FORMAT))
    root = logging.getLogger()
    root.setLevel(min(logging.INFO, logging.getLevelNamesMapping()[level.upper()]))
    for handler in (*outputs, book):
        root.addHandler(handler)
    return book


def kept() -> list[str]:
    """What the server's logbook holds; nothing where it was started without one."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler, Logbook):
            return list(handler.lines)
    return []
