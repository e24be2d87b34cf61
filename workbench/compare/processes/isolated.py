"""Execution of a cell in a guarded worker, where a crash, hang or lack of memory is reported.

The worker is a fork of this process, so that it has every name unchanged. It may crash; this
process only waits. Names that the cell binds are transferred back if they can be pickled.
"""

from __future__ import annotations

import ast
import io
import os
import pickle
import signal
import sys
import time
from dataclasses import dataclass, replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from workbench.compare.carry.fingerprint import fingerprint
from workbench.compare.cells.reach import reach
from workbench.compare.cells.run import resident
from workbench.compare.cells.snapshot import copy_contents
from workbench.compare.cells.steps import free_names
from workbench.compare.processes import worker
from workbench.compare.result import EXCEPTION, Comparison, Row, Run, RunError
from workbench.errors import TorchferryError

if TYPE_CHECKING:
    import workbench
    from workbench.compare.cells.options import Options
    from workbench.compare.cells.session import Session

_PERIOD = 0.05
# A part of torch's message where threads for gradients prevent them in a fork.
_NO_FORK = "autograd's threading in combination with fork"


class IsolationError(TorchferryError):
    """A guarded worker is not available here."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a worker: seconds, and bytes in addition to those at its start.

    The memory at its start is this process's own, which it shares.
    """

    seconds: float = 300.0
    bytes: int | None = None

    @property
    def most_bytes(self) -> int:
        """The given limit, or most of the memory that is free now."""
        return self.bytes if self.bytes is not None else int(0.8 * _available())


def run_isolated(
    session: Session,
    source: str,
    conversion: workbench.Conversion,
    *,
    filename: str,
    options: Options,
    limits: Limits,
) -> Comparison:
    """Run a cell on both sides in a worker, and return its comparison and bind its names here.

    Raises:
        IsolationError: this system cannot fork, or a device or threads are in use that a fork
            cannot share.
    """
    _check(options)
    here, there = Pipe(duplex=False)
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        here.close()
        _work(session, source, conversion, filename, options, there)
    there.close()
    watch = _Watch(child, here, limits)
    try:
        answer = watch.answer()
    finally:
        watch.end()
    if answer is None:
        return _lost(session, source, conversion, options, watch)
    comparison: Comparison = answer["comparison"]
    comparison.findings = conversion.findings
    comparison.torch.result = _received(answer["result"])
    for name, value in _unpacked(answer["names"], comparison).items():
        if not copy_contents(session.namespace.get(name), value):
            session.namespace[name] = value
    return comparison


def _check(options: Options) -> None:
    if not hasattr(os, "fork"):
        raise IsolationError("a guarded worker needs Linux or macOS; omit --isolated")
    cuda: Any = torch.cuda
    if {options.device, options.target_device or "cpu"} != {"cpu"} or cuda.is_initialized():
        raise IsolationError("a guarded worker runs only on the CPU; omit --isolated")


# In the worker


def _work(
    session: Session,
    source: str,
    conversion: workbench.Conversion,
    filename: str,
    options: Options,
    to: Connection,
) -> None:
    """Run the worker until its process exits; never returns."""
    code = 1
    try:
        worker.prepare()
        reporting = replace(options, entering=lambda side, line: to.send(("at", side, line)))
        before = dict(session.namespace)
        used = reach(free_names(ast.parse(source).body), before)
        states = {name: fingerprint(before[name]) for name in used}
        comparison = session.run(source, conversion, filename=filename, options=reporting)
        _refuse_threads_of_gradients(comparison)
        after = session.namespace
        changed = {n for n, value in after.items() if n not in before or before[n] is not value}
        kept = states.keys() & after.keys()
        changed |= {n for n in kept if fingerprint(after[n]) != states[n]}
        to.send(("done", _packed(session, comparison, changed)))
        code = 0
    except IsolationError as error:
        to.send(("refused", str(error)))
    except BaseException as error:
        to.send(("failed", f"{type(error).__name__}: {error}"))
    finally:
        to.close()
        os._exit(code)


def _refuse_threads_of_gradients(comparison: Comparison) -> None:
    """Refuse a cell whose gradients torch cannot compute in a fork.

    A torch with CUDA starts threads at the first backward pass, which a fork does not have.

    Raises:
        IsolationError: that is so.
    """
    if _NO_FORK in str(comparison.torch.values.get("__exception__", "")):
        raise IsolationError(
            "torch has computed gradients in this kernel, and this build of it cannot do so in a"
            " worker then; omit --isolated, or restart the kernel"
        )


def _packed(session: Session, comparison: Comparison, changed: set[str]) -> dict[str, Any]:
    """Return the comparison without its values, the value of the last expression, and the names
    that the cell bound or changed.
    """
    error = comparison.torch.values.get("__exception__")
    result = _sent(comparison.torch.result)
    for run in (comparison.torch, comparison.target):
        run.drop_values()
    if isinstance(error, Exception) and pickled(error) is not None:
        comparison.torch.values["__exception__"] = error
    comparison.findings = ()
    values = {n: session.namespace[n] for n in sorted(changed) if not n.startswith("_")}
    content = pickled(values)
    if content is None:
        kept = {name: value for name, value in values.items() if pickled(value) is not None}
        lost = ", ".join(sorted(values.keys() - kept.keys()))
        comparison.notes.append(f"{lost} cannot be copied from the worker: not bound here")
        content = pickled(kept) or b""
    return {"comparison": comparison, "names": content, "result": result}


class _Described:
    """Replacement for a value that cannot be copied from the worker: it shows the value's text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _sent(value: Any) -> tuple[bytes | None, str] | None:
    """Return a value as bytes, if it can be pickled, and as text; None for None."""
    if value is None:
        return None
    try:
        text = repr(value)
    except Exception as error:
        text = f"<{type(value).__name__}: its repr raises {type(error).__name__}>"
    return pickled(value), text


def _received(sent: tuple[bytes | None, str] | None) -> Any:
    """Return the value that the worker sent, or its text if only the worker has its class."""
    if sent is None:
        return None
    content, text = sent
    try:
        return _Described(text) if content is None else pickle.loads(content)
    except Exception:
        return _Described(text)


class _Pickler(pickle.Pickler):
    """Pickler that keeps the gradients of tensors, which torch's own pickling drops."""

    def reducer_override(self, value: Any) -> Any:
        """Return how to recreate a leaf with a gradient; other values are pickled as usual."""
        if isinstance(value, torch.Tensor) and value.is_leaf and value.grad is not None:
            kind = torch.nn.Parameter if isinstance(value, torch.nn.Parameter) else torch.Tensor
            return _leaf, (kind, value.detach(), value.requires_grad, value.grad.detach())
        return NotImplemented


def _leaf(
    kind: type[torch.Tensor], value: torch.Tensor, trains: bool, grad: torch.Tensor
) -> torch.Tensor:
    parameter = kind is torch.nn.Parameter
    leaf = torch.nn.Parameter(value, trains) if parameter else value.requires_grad_(trains)
    leaf.grad = grad
    return leaf


def pickled(value: Any) -> bytes | None:
    """Return the value as bytes, gradients included, or None if it cannot be pickled."""
    to = io.BytesIO()
    try:
        _Pickler(to).dump(value)
    except Exception:
        return None
    return to.getvalue()


# In the parent process


class _Watch:
    """Waits for a worker's answer, and ends the worker."""

    def __init__(self, worker: int, pipe: Connection, limits: Limits) -> None:
        self._worker = worker
        self._pipe = pipe
        self._limits = limits
        self._most = limits.most_bytes
        self._shared = resident() or 0
        self.side = ""
        self.line: int | None = None
        self.reason = ""
        self._status: int | None = None

    def answer(self) -> dict[str, Any] | None:
        """Return the worker's final answer, or None if it did not finish, with the cause in
        `reason`.
        """
        end = time.monotonic() + self._limits.seconds
        while not self.reason:
            if self._pipe.poll(_PERIOD):
                try:
                    kind, *rest = self._pipe.recv()
                except EOFError:
                    self.reason = self._wait_for_ending()
                    break
                if kind == "at":
                    self.side, self.line = rest
                elif kind == "refused":
                    raise IsolationError(rest[0])
                elif kind == "failed":
                    raise IsolationError(f"the worker failed: {rest[0]}")
                else:
                    found: dict[str, Any] = rest[0]
                    return found
            elif time.monotonic() > end:
                self.reason = f"hung: no end after {self._limits.seconds:g} s"
            elif (resident(self._worker) or 0) - self._shared > self._most:
                self.reason = f"exhausted its memory, {self._most / (1 << 30):.1f} GB"
        return None

    def _wait_for_ending(self) -> str:
        _, status = os.waitpid(self._worker, 0)
        self._status = status
        return worker.ending_of(status)

    def end(self) -> None:
        """End the worker and close the pipe."""
        if self._status is None:
            os.kill(self._worker, signal.SIGKILL)
            os.waitpid(self._worker, 0)
        self._pipe.close()


def _lost(
    session: Session,
    source: str,
    conversion: workbench.Conversion,
    options: Options,
    watch: _Watch,
) -> Comparison:
    """Return the comparison of a cell whose worker did not finish."""
    runs = {
        "torch": Run("torch", options.device),
        session.bridge.name: Run(session.bridge.name, options.target_device or options.device),
    }
    side = watch.side or "torch"
    end, _, why = watch.reason.partition(": ")
    runs[side].error = RunError(end, why, watch.line)
    at = "" if watch.line is None else f" at line {options.first_line + watch.line}"
    lost = f"{side} {watch.reason}{at}"
    return Comparison(
        source,
        conversion.code,
        session.bridge.name,
        runs["torch"],
        runs[session.bridge.name],
        rows=[Row(EXCEPTION, same=False, reason=lost)],
        notes=["the kernel and all its names are unchanged"],
        findings=conversion.findings,
        lost=lost,
        first_line=options.first_line,
    )


def _unpacked(content: bytes, comparison: Comparison) -> dict[str, Any]:
    try:
        names: dict[str, Any] = pickle.loads(content) if content else {}
    except Exception as error:  # a class that only the worker has, such as one of this cell
        comparison.notes.append(f"the cell's names could not be copied back: {error}")
        return {}
    return names


def _available() -> int:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 8 << 30
