"""Files converted on all cores: each in a worker process, or in this process if they are few."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from workbench.convert.project.file_job import Done, Job, Order, convert_job, with_deep_stack
from workbench.convert.report.report import FileResult
from workbench.processes import worker_processes

# With less code per process, starting processes takes longer than converting.
_WORTH_ONE = 250_000


def results(jobs: list[Job], order: Order, workers: int | None = None) -> Iterator[Done]:
    """Yield the results of jobs, as they come."""
    count = workers or _useful(jobs)
    # Imported files come first: the process that converted one knows its content.
    project = order.project if len(jobs) > 1 else None
    turns = {job.path: (0, 0) for job in jobs}
    if project is not None:
        turns = with_deep_stack(lambda: {job.path: project.turn(job.source) for job in jobs})
    if min(count, len(jobs)) < 2:
        for job in sorted(jobs, key=lambda job: turns[job.path]):
            yield _work(job, order)
        return
    # The longest come first, so that none runs alone at the end.
    jobs = sorted(jobs, key=lambda job: (*turns[job.path], -_size(job)))
    yield from _in_processes(jobs, order, min(count, len(jobs)))


def _useful(jobs: list[Job]) -> int:
    """Return the number of useful processes: that of the cores, or less for less work."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        cores = os.cpu_count() or 1
    return min(cores, sum(map(_size, jobs)) // _WORTH_ONE)


def _size(job: Job) -> int:
    try:
        return job.source.stat().st_size
    except OSError:
        return 0


def _in_processes(jobs: list[Job], order: Order, count: int) -> Iterator[Done]:
    left = {job.path: job for job in jobs}
    try:
        for done in _pooled(jobs, order, count):
            del left[done.result.path]
            yield done
        return
    except BrokenProcessPool:
        pass
    # A worker died; the remaining files run one by one, to find the one that causes it.
    for job in list(left.values()):
        try:
            yield from _pooled([job], order, 1)
        except BrokenProcessPool:
            yield Done(
                FileResult(
                    job.path,
                    failure=f"{job.source}: the process that converted it died; exclude the file,"
                    " and please report this",
                )
            )


def _pooled(jobs: list[Job], order: Order, count: int) -> Iterator[Done]:
    context = worker_processes()
    with ProcessPoolExecutor(count, mp_context=context) as executor:
        futures: list[Future[Done]] = [executor.submit(_work, job, order) for job in jobs]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            context.kill()
            raise


def _work(job: Job, order: Order) -> Done:
    work = _checking() if order.check else convert_job
    done: Done = with_deep_stack(lambda: work(job, order))
    return done


def _checking() -> Callable[[Job, Order], Done]:
    from workbench.convert.project.check_job import check_job  # with Markdown and docstrings

    return check_job
