"""Work in a fork of this process, so that a hang or crash ends only the fork.

A fork has every value unchanged, live models and inputs included, and takes milliseconds. Threads
do not survive it, so the work uses one thread and only the CPU.
"""

from __future__ import annotations

import ctypes
import io
import os
import signal
import sys
from collections.abc import Callable
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import torch

from workbench.errors import TorchferryError
from workbench.processes import follow_parent
from workbench.watching import EndedError, Report, SilentError, answer, reporter

# Signals from other processes, and those of crashes.
_SIGNALS = ("SIGINT", "SIGTERM", "SIGSEGV", "SIGABRT", "SIGFPE", "SIGBUS")


def can_fork() -> bool:
    """Return whether this system can fork, and has no device that a fork cannot share."""
    return hasattr(os, "fork") and not torch.accelerator.is_available()


def in_fork(work: Callable[[Report], Any], *, patience: float) -> Any:
    """Return the result of `work(report)`, computed in a fork.

    Args:
        work: calls `report` with what it is about to do; its result is pickled.
        patience: seconds without a report or a result after which the fork is ended.

    Raises:
        TorchferryError: `work` raised, hung or crashed; the message has its last report.
    """
    here, there = Pipe(duplex=False)
    sys.stdout.flush()
    worker = os.fork()
    if worker == 0:
        here.close()
        _live(work, there)
    there.close()
    status = None
    try:
        return answer(here, patience)
    except EndedError as doing:
        _, status = os.waitpid(worker, 0)
        raise TorchferryError(
            f"the worker process {ending_of(status)} while {doing}; nothing here has changed"
        ) from None
    except SilentError as doing:
        raise TorchferryError(
            f"no answer for {patience:g} s while {doing}; the worker process was stopped, and"
            " nothing here has changed"
        ) from None
    finally:
        if status is None:
            os.kill(worker, signal.SIGKILL)
            os.waitpid(worker, 0)
        here.close()


def prepare() -> None:
    """Prepare a fork: restore default signal handling, and use one thread."""
    for name in _SIGNALS:
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    follow_parent()
    sys.stdout = sys.stderr = io.StringIO()
    # Thread pools whose threads did not survive would wait for them forever.
    torch.set_num_threads(1)
    maps = Path("/proc/self/maps")
    found = maps.read_text().split() if maps.exists() else []
    for path in {word for word in found if "libgomp" in word or "libiomp" in word}:
        ctypes.CDLL(path).omp_set_num_threads(1)


def ending_of(status: int) -> str:
    """Return how a process without an answer ended, from its wait status."""
    number = -os.waitstatus_to_exitcode(status)
    if number == signal.SIGKILL:
        return "was killed, probably because the system ran out of memory"
    name = signal.strsignal(number) if number > 0 else None
    return f"crashed: {name or 'it ended its process'}"


def _live(work: Callable[[Report], Any], to: Connection) -> None:
    """Run the fork until its process exits; never returns."""
    code = 1
    try:
        prepare()
        to.send(("done", work(reporter(to))))
        code = 0
    except TorchferryError as error:
        to.send(("failed", str(error)))
    except BaseException as error:
        to.send(("failed", f"{type(error).__name__}: {error}"))
    finally:
        to.close()
        os._exit(code)
