"""Worker processes, which import nothing from the working folder and never outlive their parent.

In any program, each starts like `python -P`, or as a copy of a process with a single thread. It
ends with its parent, however that ends, and is killed together with its own children.
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
# All threads share the environment, and nothing must start while everything is ended.
_starting = threading.Lock()


class _Worker(BaseProcess):
    """A process that ends with its parent."""

    def run(self) -> None:
        """Run the process's work, in that process."""
        if _POSIX:
            os.setpgrp()
            usual = signal.signal(signal.SIGINT, lambda number, frame: None)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
            signal.signal(signal.SIGINT, usual)
        _end_with_parent_by_system()
        # The parent may have ended, and a thread waits for an import of a library.
        _end_with_parent(timeout=0)
        threading.Thread(target=_end_with_parent, daemon=True).start()
        super().run()

    def kill(self) -> None:
        """Kill it and its children."""
        if _POSIX and self.is_alive() and self.pid is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        super().kill()


class FreshProcess(_Worker, SpawnProcess):
    """A worker that starts a new interpreter."""

    _chosen: str | None = None

    def start(self) -> None:
        """Start it in a separate thread, so that no signal interrupts the start."""
        problem: list[BaseException] = []

        def start() -> None:
            try:
                with _starting, _safe_path() as self._chosen:
                    _start_tracker()
                    if _POSIX:  # until `run`, so that a key in the terminal does not reach it
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
        """Run the process's work, in that process."""
        if self._chosen is None:  # processes that the work starts must not inherit our setting
            os.environ.pop(_SAFE_PATH, None)
        super().run()


class _Context:
    """Related worker processes."""

    def __init__(self) -> None:
        self._started: list[_Worker] = []

    def _new(self, process: _Worker) -> Any:
        self._started.append(process)
        return process

    def kill(self) -> None:
        """Kill all processes of this context, and their children."""
        for process in self._started:
            if process.pid is not None:
                process.kill()


class FreshContext(_Context, SpawnContext):
    """Processes that are spawned."""

    def Process(self, *args: Any, **named: Any) -> Any:  # type: ignore[override]  # noqa: N802
        """Return a process as in `multiprocessing`, which is not started."""
        return self._new(FreshProcess(*args, **named))


if sys.platform != "win32":
    from multiprocessing.context import ForkContext, ForkProcess

    _ENDING = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}

    class CopiedProcess(_Worker, ForkProcess):
        """A worker that is a copy of this process, with everything that it has imported."""

        def start(self) -> None:
            """Start it; signals are delayed until it has started."""
            before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
            try:
                super().start()
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)

        def run(self) -> None:
            """Run the process's work, in that process."""
            for number in _ENDING:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
            super().run()

    class CopiedContext(_Context, ForkContext):
        """Processes that are forked, which would inherit the locks of other threads."""

        def Process(self, *args: Any, **named: Any) -> Any:  # type: ignore[override]  # noqa: N802
            """Return a process as in `multiprocessing`, which is not started."""
            return self._new(CopiedProcess(*args, **named))


def worker_processes() -> FreshContext | CopiedContext:
    """Return the context of worker processes that need everything that is imported here.

    They are copies of this process if it is known to have a single thread (on Linux), else new
    ones.
    """
    threads = Path("/proc/self/task")
    if sys.platform != "win32" and threads.exists() and len(list(threads.iterdir())) == 1:
        with _safe_path():
            _start_tracker()
        return CopiedContext()
    return fresh_processes()


def fresh_processes() -> FreshContext:
    """Return the context of new worker processes.

    `multiprocessing` reads the main module's `__spec__`, which a notebook's has no longer after
    `%reset`.
    """
    vars(sys.modules["__main__"]).setdefault("__spec__", None)
    with _starting, _safe_path():
        _start_tracker()
    return FreshContext()


def kill_children() -> None:
    """Kill all processes that this one started by `multiprocessing`, and prevent new ones.

    This is for a program that is about to end.
    """
    _starting.acquire(timeout=_PATIENCE)
    for process in active_children():
        process.kill()
        process.join()


@contextlib.contextmanager
def _safe_path() -> Iterator[str | None]:
    """While open, let new interpreters import only installed modules; yield the old value."""
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
    """Start the resource tracker, which `multiprocessing` starts with the first lock or process.

    It must end after its processes, so it ignores a closed terminal and keys in it. It silently
    removes what a signal kept them from removing.
    """
    if _POSIX:
        from multiprocessing import resource_tracker

        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
        sys.warnoptions.append("ignore:resource_tracker")  # an option for its start
        try:
            resource_tracker.ensure_running()
        finally:
            sys.warnoptions.pop()
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def follow_parent() -> None:
    """Let this process end, with its children, soon after its parent.

    This is for processes that `multiprocessing` did not start; those of this module do it anyway.
    """
    if _POSIX:  # elsewhere a process cannot detect that its parent changed
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


def _end_with_parent_by_system() -> None:
    """Let the system kill this group with its parent if possible, even during a long call.

    The parent holds the other end of a pipe, whose end is signalled with a signal of our choice.
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
