"""Worker processes: they import nothing of the working folder, and never stay behind.

Whatever the program that asks for them is, each starts as `python -P` would, or as a copy of a
process that has a single thread; ends with the process that started it, however that ends; and is
killed together with all that it has started itself.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from multiprocessing import active_children, connection, parent_process
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

_SAFE_PATH = "PYTHONSAFEPATH"
_POSIX = os.name == "posix"
_PATIENCE = 0.5  # seconds
# The environment is one for all threads, and nothing starts while everything is ended.
_starting = threading.Lock()


class _Worker(BaseProcess):
    """A process that ends with this one."""

    def run(self) -> None:
        """The process's work, in that process."""
        if _POSIX:
            os.setpgrp()
            usual = signal.signal(signal.SIGINT, lambda number, frame: None)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
            signal.signal(signal.SIGINT, usual)
        _let_the_system_end_it()
        _end_with_parent(timeout=0)  # it may be gone, and a thread waits for a library's import
        threading.Thread(target=_end_with_parent, daemon=True).start()
        super().run()

    def kill(self) -> None:
        """End it at once, and what it has started."""
        if _POSIX and self.is_alive() and self.pid is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        super().kill()


class FreshProcess(_Worker, SpawnProcess):
    """A worker that starts afresh."""

    _chosen: str | None = None

    def start(self) -> None:
        """Start it, in a thread of its own: a signal never comes in between."""
        problem: list[BaseException] = []

        def start() -> None:
            try:
                with _starting, _safe_path() as self._chosen:
                    _start_tracker()
                    if _POSIX:  # until `run`, where a key in the terminal is none of its business
                        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
                    super(FreshProcess, self).start()
            except BaseException as error:
                problem.append(error)

        thread = threading.Thread(target=start)
        thread.start()
        thread.join()
        if problem:
            raise problem[0]

    def run(self) -> None:
        """The process's work, in that process."""
        if self._chosen is None:  # what the work itself starts is none of ours
            os.environ.pop(_SAFE_PATH, None)
        super().run()


class _Context:
    """Worker processes that belong together."""

    def __init__(self) -> None:
        self._started: list[_Worker] = []

    def _new(self, process: _Worker) -> Any:
        self._started.append(process)
        return process

    def kill(self) -> None:
        """End all processes of this context, and what they have started."""
        for process in self._started:
            if process.pid is not None:
                process.kill()


class FreshContext(_Context, SpawnContext):
    """Processes that are spawned."""

    def Process(self, *args: Any, **named: Any) -> Any:  # type: ignore[override]  # noqa: N802
        """A process as `multiprocessing` has them, not started yet."""
        return self._new(FreshProcess(*args, **named))


if sys.platform != "win32":
    from multiprocessing.context import ForkContext, ForkProcess

    _ENDING = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}

    class CopiedProcess(_Worker, ForkProcess):
        """A worker that is a copy of this process, with all that this one has imported."""

        def start(self) -> None:
            """Start it; signals wait until it has."""
            before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
            try:
                super().start()
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)

        def run(self) -> None:
            """The process's work, in that process."""
            for number in _ENDING:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
            super().run()

    class CopiedContext(_Context, ForkContext):
        """Processes that are forked, which would take over the locks of other threads."""

        def Process(self, *args: Any, **named: Any) -> Any:  # type: ignore[override]  # noqa: N802
            """A process as `multiprocessing` has them, not started yet."""
            return self._new(CopiedProcess(*args, **named))


def worker_processes() -> FreshContext | CopiedContext:
    """The context of some worker processes that need all that is imported here.

    They are copies of this process where it has a single thread, and Linux tells so; else fresh.
    """
    threads = Path("/proc/self/task")
    if sys.platform != "win32" and threads.exists() and len(list(threads.iterdir())) == 1:
        with _safe_path():
            _start_tracker()
        return CopiedContext()
    return fresh_processes()


def fresh_processes() -> FreshContext:
    """The context of some worker processes.

    `multiprocessing` asks the main module for its `__spec__`, which a notebook's has no more after
    `%reset`.
    """
    vars(sys.modules["__main__"]).setdefault("__spec__", None)
    with _starting, _safe_path():
        _start_tracker()
    return FreshContext()


def kill_children() -> None:
    """End every process that this one started by `multiprocessing`; none can start any more.

    This is for a program that is about to end.
    """
    _starting.acquire(timeout=_PATIENCE)
    for process in active_children():
        process.kill()
        process.join()


@contextlib.contextmanager
def _safe_path() -> Iterator[str | None]:
    """Have new interpreters look for modules where they are installed alone; gives what held."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield before
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


def _start_tracker() -> None:
    """Start what `multiprocessing` starts by itself, with the first lock or process.

    It ends after the processes that it is for: a terminal that is closed is none of its business,
    as a key in it is none. What a signal kept them from removing, it removes without a word.
    """
    if _POSIX:
        from multiprocessing import resource_tracker

        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
        sys.warnoptions.append("ignore:resource_tracker")  # which it is started with
        try:
            resource_tracker.ensure_running()
        finally:
            sys.warnoptions.pop()
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def follow_parent() -> None:
    """Have this process end, with what it has started, soon after the one that started it.

    For processes that `multiprocessing` did not start; those of this module do so anyway.
    """
    if _POSIX:  # elsewhere no process learns that another one has taken its parent's place
        parent = os.getppid()

        def wait() -> None:
            while os.getppid() == parent:
                time.sleep(_PATIENCE)
            _end()

        threading.Thread(target=wait, daemon=True).start()


def _end_with_parent(timeout: float | None = None) -> None:
    parent = parent_process()
    if parent is not None and connection.wait([parent.sentinel], timeout):
        _end()


def _let_the_system_end_it() -> None:
    """Have the system end this group with its parent, where it can: no thread runs in a long call.

    The parent holds the other end of a pipe, whose closing is told by a signal of our choice.
    """
    parent = parent_process()
    if sys.platform == "linux" and parent is not None:
        import fcntl

        pipe = parent.sentinel
        fcntl.fcntl(pipe, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(pipe, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)


def _end() -> None:
    if _POSIX and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)
