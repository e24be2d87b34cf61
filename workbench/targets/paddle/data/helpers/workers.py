"""Worker processes of a data loader."""

from __future__ import annotations

import collections
import itertools
import multiprocessing
import traceback
import types
from collections.abc import Iterator
from typing import Any

import paddle


def torch_worker_info() -> Any:
    """`torch.utils.data.get_worker_info`: id, num_workers, seed and dataset inside a worker."""
    return getattr(torch_worker_info, "current", None)


def torch_run_worker(loader: Any, number: int, seed: int, tasks: Any, results: Any) -> None:
    """A worker's work: one batch for each task, in order, or the news that a stream ended."""
    try:
        info = types.SimpleNamespace(
            id=number, num_workers=loader.num_workers, seed=seed + number, dataset=loader.dataset
        )
        setattr(torch_worker_info, "current", info)  # noqa: B010
        paddle.seed((seed + number) % 2**31)
        if loader.worker_init_fn is not None:
            loader.worker_init_fn(number)
        stream = loader.batches_of_stream() if loader.iterable else None
        while (task := tasks.get()) is not None:
            if stream is None:
                results.put(("batch", loader.load(task[0])))
            else:
                batch = list(itertools.islice(stream, 1))
                results.put(("batch", batch[0]) if batch else ("end", None))
    except Exception:
        results.put(("error", traceback.format_exc()))


def torch_worker_batches(loader: Any) -> Iterator[Any]:
    """The batches of a loader, made by worker processes in turn and given out in order."""
    context: Any = multiprocessing.get_context("fork")
    seed = int(paddle.randint(0, 2**31 - 1, [1]).item())
    workers = []
    for number in range(loader.num_workers):
        tasks, results = context.Queue(), context.Queue()
        worker = context.Process(
            target=torch_run_worker, args=(loader, number, seed, tasks, results), daemon=True
        )
        worker.start()
        workers.append((worker, tasks, results))
    if loader.iterable:
        work: Iterator[Any] = itertools.repeat(None)
    else:
        work = iter(loader.batch_sampler if loader.batched else loader.sampler)
    turns = collections.deque(workers)
    waiting: collections.deque[Any] = collections.deque()
    try:
        while True:
            while turns and len(waiting) < loader.num_workers * loader.prefetch_factor:
                task = list(itertools.islice(work, 1))
                if not task:
                    break
                turns[0][1].put(task)
                waiting.append(turns[0])
                turns.rotate(-1)
            if not waiting:
                return
            worker = waiting.popleft()
            kind, batch = worker[2].get(timeout=loader.timeout or None)
            if kind == "error":
                raise RuntimeError(f"a data loader's worker failed:\n{batch}")
            if kind == "batch":
                yield batch
            elif worker in turns:
                turns.remove(worker)
    finally:
        for worker, _, _ in workers:
            worker.kill()
