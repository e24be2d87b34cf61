"""How a command ends that is told to end: at once, with one line, and with all that it started."""

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
# Seconds that clearing up may take.
_PATIENCE = 1.0
_GRACE = 0.2
_SAID = ["torchferry: interrupted"]
_leaving = threading.Lock()


class Stopped(BaseException):
    """A signal told the command to end; `number` is which."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def listen() -> None:
    """Raise `Stopped` in the main thread where a signal tells the command to end.

    Whatever becomes of that, the process ends a second later. Signals that whoever started the
    command has turned off, as `nohup` does, stay so.
    """
    for number in _numbers():
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)


def resumable() -> None:
    """Say, where the command is ended from here on, that it can be taken up."""
    _SAID.append("no file is half-written, and the same command goes on from here")


@contextlib.contextmanager
def stoppable() -> Iterator[None]:
    """Within, a signal that is listened to ends the process, whatever clearing up raises."""
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
    """End this process and all that it started, saying so in one line.

    The interpreter is not cleared up: threads that are in the middle of their work would hold it.
    """
    if not _leaving.acquire(blocking=False):
        threading.Event().wait()  # the other thread is ending the process
    kill_children()
    # A thread that gives its locks back is let finish: half of that is complained of as well.
    for thread in {*threading.enumerate()} - {threading.current_thread(), threading.main_thread()}:
        if not thread.daemon:
            with contextlib.suppress(RuntimeError):  # one that has not begun yet
                thread.join(_GRACE)
    # Else the process that watches over them complains of locks that are left.
    util._run_finalizers(0)  # type: ignore[attr-defined]
    with contextlib.suppress(OSError):
        os.write(2, f"{'; '.join(_SAID)}\n".encode())
    os._exit(128 + number)


def _stop(number: int, frame: FrameType | None) -> None:
    for other in _numbers():
        signal.signal(other, signal.SIG_IGN)
    # How it goes with what is given up is of no interest.
    sys.unraisablehook = threading.excepthook = _ignore
    last = threading.Timer(_PATIENCE, leave, [number])
    last.daemon = True
    last.start()
    raise Stopped(number)


def _ignore(_: object) -> None:
    pass


def _numbers() -> list[signal.Signals]:
    return [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
