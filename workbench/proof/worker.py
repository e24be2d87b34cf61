"""A watched process in which cases run: some calls of a framework hang, or end the process."""

from __future__ import annotations

import multiprocessing
from multiprocessing.connection import Connection

from workbench.proof.cases import CaseResult, prove_case

_PATIENCE = 120  # seconds for one case


def _work(connection: Connection, target: str) -> None:
    """Prove the cases that come over the connection, one after another."""
    while True:
        name, case = connection.recv()
        connection.send(prove_case(name, case, target=target))


class Worker:
    """A process that proves cases, started again when a case hangs or crashes it."""

    def __init__(self, target: str) -> None:
        self._target = target
        self._process: multiprocessing.process.BaseProcess | None = None
        self._connection: Connection | None = None

    def prove(self, name: str, case: str) -> CaseResult:
        """Prove a case; a hang or a crash is a problem of that case."""
        if self._process is None or self._connection is None:
            context = multiprocessing.get_context("spawn")
            self._connection, theirs = context.Pipe()
            self._process = context.Process(target=_work, args=(theirs, self._target), daemon=True)
            self._process.start()
            theirs.close()
        self._connection.send((name, case))
        problem = f"no answer within {_PATIENCE} s"
        try:
            if self._connection.poll(_PATIENCE):
                result: CaseResult = self._connection.recv()
                return result
        except (EOFError, OSError):
            problem = "the process that ran it ended"
        self.stop()
        return CaseResult(name, case, problem, "")

    def stop(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        self._process = self._connection = None
