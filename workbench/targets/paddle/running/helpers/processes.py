"""Processes started as torch starts them, with their number as the first argument."""

from __future__ import annotations

from collections.abc import Callable
from multiprocessing.connection import wait
from typing import Any

import paddle


class TorchProcessContext:
    """`torch.multiprocessing.ProcessContext`: processes to be waited for."""

    def __init__(self, processes: Any) -> None:
        self.processes = processes
        self.sentinels = {process.sentinel: at for at, process in enumerate(processes)}

    def pids(self) -> list[int]:
        """The numbers that the system gives to the processes."""
        return [int(process.pid) for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """True once all have ended; where one fails, the others are ended and this one raises."""
        for sentinel in wait(list(self.sentinels), timeout) if self.sentinels else ():
            at = self.sentinels.pop(sentinel)  # type: ignore[call-overload]
            self.processes[at].join()
            code = self.processes[at].exitcode
            if code != 0:
                for process in self.processes:
                    process.join(grace_period or 0)
                    process.terminate()
                    process.join()
                raise RuntimeError(f"process {at} terminated with exit code {code}")
        return not self.sentinels


def torch_start_processes(
    fn: Callable[..., Any],
    args: Any = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> TorchProcessContext | None:
    """`torch.multiprocessing.start_processes`, and `spawn`."""
    context = paddle.incubate.multiprocessing.get_context(start_method)
    processes = [
        context.Process(target=fn, args=(number, *args), daemon=daemon) for number in range(nprocs)
    ]
    for process in processes:
        process.start()
    started = TorchProcessContext(processes)
    if not join:
        return started
    while not started.join():
        pass
    return None
