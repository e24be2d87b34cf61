"""Execution of one side of a step, with its time, printed output, memory and errors."""

from __future__ import annotations

import io
import logging
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, TextIO, cast

import workbench
from workbench.compare.carry.origin import is_installed
from workbench.compare.result import Run, RunError

_HERE = str(Path(workbench.__file__).parent)
_PAGE = 4096
_PERIOD = 0.005


class Tee:
    """Wrapper of a stream that keeps a copy of what is written to it."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._kept = io.StringIO()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        """Write the text to the stream and keep it."""
        self._kept.write(text)
        return self.stream.write(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write each line to the stream and keep it."""
        for line in lines:
            self.write(line)

    def kept(self) -> str:
        """Return all text that was written."""
        return self._kept.getvalue()


def execute(
    run: Run,
    work: Callable[[], Any],
    memory: MemoryWatch,
    *,
    show: bool,
    filename: str,
    line_of: Callable[[int], int],
    synchronise: Callable[[], None] = lambda: None,
) -> Any:
    """Run one step's work for a side, and add its time, output and error to the run.

    Exceptions are stored in `run.error`; KeyboardInterrupt propagates. Output that is not shown is
    kept.
    """
    tee = Tee(sys.stdout if show else io.StringIO())
    printing = _printing(tee) if show else _silence(tee)
    with printing, memory.of(run):
        start = time.perf_counter()
        try:
            return work()
        except Exception as error:
            run.error = describe(error, filename, line_of)
            run.values["__exception__"] = error
            return None
        finally:
            synchronise()
            run.seconds += time.perf_counter() - start
            run.output += tee.kept()


@contextmanager
def _printing(tee: Tee) -> Iterator[None]:
    """Print to the tee while open; a stream that the work sets itself is kept."""
    before = sys.stdout
    sys.stdout = cast("TextIO", tee)
    try:
        yield
    finally:
        if sys.stdout is cast("TextIO", tee):
            sys.stdout = before
        while isinstance(sys.stdout, Tee):  # of an earlier statement, which the work had stored
            sys.stdout = sys.stdout.stream


@contextmanager
def _silence(tee: Tee) -> Iterator[None]:
    """Redirect text, warnings, progress bars and logs to the tee only, while open."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with redirect_stdout(cast("TextIO", tee)), redirect_stderr(io.StringIO()):
            yield
    finally:
        logging.disable(before)


def describe(error: BaseException, filename: str, line_of: Callable[[int], int]) -> RunError:
    """Return an exception with the cell's line that raised it."""
    line = None
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename == filename and frame.lineno is not None:
            line = line_of(frame.lineno - 1)
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_own(frame.filename)]
    trace = "".join([*traceback.format_list(own), *traceback.format_exception_only(error)])
    return RunError(type(error).__name__, str(error), line if line != -1 else None, trace)


def _is_own(filename: str) -> bool:
    """Return whether a file is the user's: neither installed nor part of Torchferry."""
    return not filename.startswith(_HERE) and not is_installed(filename)


class MemoryWatch:
    """Samples this process's memory in a thread while open; one instance serves all steps of a
    cell.
    """

    def __init__(self) -> None:
        self._highest = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> MemoryWatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    @contextmanager
    def of(self, run: Run) -> Iterator[None]:
        """Measure the rise of memory above its present value for a side that runs meanwhile."""
        before = resident()
        if before is None:
            yield
            return
        self._highest = before
        try:
            yield
        finally:
            highest = max(self._highest, resident() or 0)
            run.peak_memory = max(run.peak_memory or 0, highest - before)

    def _sample(self) -> None:
        while not self._done.wait(_PERIOD):
            self._highest = max(self._highest, resident() or 0)


def resident(process: int | str = "self") -> int | None:
    """Return the resident memory of a process in bytes, or None if it is unknown."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return None
