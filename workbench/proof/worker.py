"""Supervised processes that run trials, as some framework calls hang or end the process."""

from __future__ import annotations

import gc
import itertools
import os
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from tempfile import TemporaryDirectory

from workbench.garbage import keep_all
from workbench.processes import fresh_processes
from workbench.proof.jobs import Job, catalogue, trials
from workbench.proof.snippet import Outcome, Result

Trials = Callable[[Job, str, float], Iterator[tuple[str, Callable[[], Result]]]]

_TIDY = 16  # jobs between garbage collections, which take longer than a job of a few cases
_PATIENCE = 90.0  # seconds for one trial
_START = 600.0  # seconds to import both frameworks and make a job's samples


def _work(connection: Connection, folder: str, target: str, share: float, make: Trials) -> None:
    """Run the jobs that the connection delivers, and send each trial's text and result.

    Trials that save a file under a relative name save it in the folder.
    """
    os.chdir(folder)
    tidied = False
    for done in itertools.count(1):
        job, skip = connection.recv()
        if job is None:
            connection.send(catalogue(target))
            continue
        try:
            for number, (source, run) in enumerate(make(job, target, share)):
                if number < skip:
                    continue
                connection.send(source)
                connection.send(_result(job, source, run))
        except Exception as error:
            detail = f"making its samples: {type(error).__name__}: {error}"
            connection.send(Result(job.rules[0], job.kind, "", Outcome.FAILS, detail))
        connection.send(None)
        # Layers form reference cycles, which take gigabytes if they are not collected.
        if not tidied:
            gc.collect()
            keep_all()  # the frameworks' objects, mainly
            tidied = True
        elif done % _TIDY == 0:
            gc.collect()


def _result(job: Job, source: str, run: Callable[[], Result]) -> Result:
    try:
        return run()
    except Exception as error:
        detail = f"{type(error).__name__}: {error}"
        return Result(job.rules[0], job.kind, "", Outcome.FAILS, detail, source=source)


class Worker:
    """A process that runs jobs, restarted when a trial hangs or crashes it.

    Args:
        target: the target to prove.
        share: the share of the full number of samples.
        make: makes a job's trials, in that process.
        patience: seconds that a trial may take.
    """

    def __init__(
        self,
        target: str,
        share: float = 1.0,
        *,
        make: Trials = trials,
        patience: float = _PATIENCE,
    ) -> None:
        self._target = target
        self._share = share
        self._make = make
        self._patience = patience
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None
        self._folder: TemporaryDirectory[str] | None = None

    def catalogue(self) -> list[Job]:
        """Return all jobs; the process makes the list, so that this one need not import torch."""
        connection = self._connected()
        connection.send((None, 0))
        jobs: list[Job] = connection.recv()
        return jobs

    def run(self, job: Job) -> Iterator[Result]:
        """Yield the results of a job; a trial that hangs or crashes gives the outcome HANGS."""
        done = 0
        source: str | None = None
        self._connected().send((job, done))
        while True:
            patience = self._patience if source is not None else _START
            problem = f"no answer within {patience:.0f} s"
            try:
                if self._connected().poll(patience):
                    message = self._connected().recv()
                    if message is None:
                        return
                    if isinstance(message, Result):
                        yield message
                        done += 1
                        source = None
                    else:
                        source = message
                    continue
            except (EOFError, OSError):
                problem = "the process that ran it ended"
            self.stop()
            yield Result(job.rules[0], job.kind, "", Outcome.HANGS, problem, source=source or "")
            if source is None:  # making the trials did not end
                return
            done += 1
            source = None
            self._connected().send((job, done))

    def _connected(self) -> Connection:
        if self._connection is None:
            # Trials are small, and every core has a worker.
            os.environ.update(OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")
            context = fresh_processes()
            self._connection, theirs = context.Pipe()
            self._folder = TemporaryDirectory(prefix="torchferry-", ignore_cleanup_errors=True)
            arguments = (theirs, self._folder.name, self._target, self._share, self._make)
            self._process = context.Process(target=_work, args=arguments, daemon=True)
            self._process.start()
            theirs.close()
        return self._connection

    def stop(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._folder is not None:
            self._folder.cleanup()
        self._process = self._connection = self._folder = None


def run_all(jobs: Iterable[Job], workers: list[Worker]) -> Iterator[tuple[Job, list[Result]]]:
    """Run jobs in all workers concurrently; yield each job with its results when it is done."""
    waiting: queue.SimpleQueue[Job] = queue.SimpleQueue()
    finished: queue.SimpleQueue[tuple[Job, list[Result]] | None] = queue.SimpleQueue()
    for job in jobs:
        waiting.put(job)

    def drive(worker: Worker) -> None:
        try:
            while not waiting.empty():
                try:
                    job = waiting.get_nowait()
                except queue.Empty:
                    break
                finished.put((job, list(worker.run(job))))
        finally:
            worker.stop()
            finished.put(None)

    threads = [threading.Thread(target=drive, args=(one,), daemon=True) for one in workers]
    for thread in threads:
        thread.start()
    remaining = len(threads)
    while remaining:
        item = finished.get()
        if item is None:
            remaining -= 1
        else:
            yield item
