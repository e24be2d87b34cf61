"""The end of an interrupted command: at once, with one line, and with everything it started."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from multiprocessing import util
from types import FrameType

from workbench.processes import kill_children

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
# Seconds that clean-up may take.
_PATIENCE = 1.0
_GRACE = 0.2
_MESSAGES = ["torchferry: interrupted"]
_leaving = threading.Lock()


class Stopped(BaseException):
    """A signal, with this `number`, that told the command to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def listen() -> None:
    """Raise `Stopped` in the main thread if a signal tells the command to end.

    The process ends one second later in any case. Signals that the caller turned off, as `nohup`
    does, stay off.
    """
    for number in _numbers():
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)


def resumable() -> None:
    """Add to the last message that the command can be resumed."""
    _MESSAGES.append("no file is half-written, and the same command goes on from here")


@contextlib.contextmanager
def stoppable() -> Iterator[None]:
    """While open, let such a signal end the process, whatever clean-up raises."""
    try:
        yield
    except BaseException as raised:
        error: BaseException | None = raised
        while error is not None:
            if isinstance(error, Stopped):
                with contextlib.suppress(OSError):
                    sys.stdout.flush()
                leave(error.number)
            error = error.__context__
        raise


def leave(number: int) -> None:
    """End this process and everything that it started, with a message of one line.

    The interpreter is not finalised, since working threads would block that.
    """
    if not _leaving.acquire(blocking=False):
        threading.Event().wait()  # the other thread is ending the process
    kill_children()
    # Let a thread finish that is releasing its locks, since a partial release causes warnings too.
    for thread in {*threading.enumerate()} - {threading.current_thread(), threading.main_thread()}:
        if not thread.daemon:
            with contextlib.suppress(RuntimeError):  # one that has not started yet
                thread.join(_GRACE)
    # Otherwise the process that tracks them would warn about leaked locks.
    util._run_finalizers(0)  # type: ignore[attr-defined]
    with contextlib.suppress(OSError):
        os.write(2, f"{'; '.join(_MESSAGES)}\n".encode())
    os._exit(128 + number)


def _stop(number: int, frame: FrameType | None) -> None:
    for other in _numbers():
        signal.signal(other, signal.SIG_IGN)
    # Errors in abandoned work are irrelevant.
    sys.unraisablehook = threading.excepthook = _ignore
    last = threading.Timer(_PATIENCE, leave, [number])
    last.daemon = True
    last.start()
    raise Stopped(number)


def _ignore(_: object) -> None:
    pass


def _numbers() -> list[signal.Signals]:
    return [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
