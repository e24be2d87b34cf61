"""The last things that were logged, kept for a bug report; no text of the user's is among them."""

from __future__ import annotations

import logging
import traceback
from collections import deque

_MOST = 300
# The protocol's library logs every message, including the user's texts.
_PROTOCOL = "pygls"
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class Logbook(logging.Handler):
    """Remembers the last records as text."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.setFormatter(logging.Formatter(_FORMAT))
        self.lines: deque[str] = deque(maxlen=_MOST)

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.startswith(_PROTOCOL):
            if record.levelno < logging.WARNING:
                return
            record = _without_contents(record)
        self.lines.append(self.format(record))


def _without_contents(record: logging.LogRecord) -> logging.LogRecord:
    """Return the record without the message that was being handled."""
    facts = {**vars(record), "args": None, "exc_info": None}
    if record.exc_info and record.exc_info[0]:
        kind, _, trace = record.exc_info
        facts["exc_text"] = "".join(traceback.format_tb(trace)) + kind.__name__
    return logging.makeLogRecord(facts)


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
    number = logging.getLevelNamesMapping()[level.upper()]
    root.setLevel(min(logging.INFO, number))
    if number > logging.DEBUG:
        # Writing each message takes time and space, which only a search for faults justifies.
        logging.getLogger(_PROTOCOL).setLevel(logging.WARNING)
    for handler in (*outputs, book):
        root.addHandler(handler)
    return book


def kept() -> list[str]:
    """Return the lines of the server's logbook, or an empty list if it has none."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler, Logbook):
            return list(handler.lines)
    return []
