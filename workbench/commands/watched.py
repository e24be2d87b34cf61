"""Work in a separate process: a framework that hangs or crashes ends only that process."""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from workbench.errors import TorchferryError
from workbench.processes import fresh_processes
from workbench.targets.installed import lacking, package_of
from workbench.watching import EndedError, SilentError, answer, reporter

# The seconds in which a process must end by itself after its last task.
_LEAVING = 5.0


def watched(work: Callable[..., Any], *args: Any, patience: float) -> Any:
    """Return the value of `work(*args, report)`, computed in a fresh process.

    Args:
        work: a function that can be imported; it calls `report` before each step.
        args: its arguments before `report`; they and its result are pickled between processes.
        patience: seconds without a report or a result after which the process is killed.

    Raises:
        TorchferryError: `work` raised it; or it hung or its process ended; the message names the
            last step.
    """
    context = fresh_processes()
    ours, theirs = context.Pipe()
    process = context.Process(target=_run, args=(theirs, work, args), daemon=True)
    process.start()
    theirs.close()
    try:
        return answer(ours, patience)
    except SilentError as doing:
        process.kill()
        raise TorchferryError(
            f"no answer for {patience:g} s while {doing}, so it was stopped. Omit that part, or"
            " wait"
            " longer with --patience SECONDS"
        ) from None
    except EndedError as doing:
        process.join()
        raise TorchferryError(
            f"the process that did the work ended ({_exit(process.exitcode)}) while {doing};"
            " report it with the model"
        ) from None
    except TorchferryError:
        raise
    except BaseException:
        process.kill()
        raise
    finally:
        process.join(timeout=_LEAVING)
        process.kill()
        process.join()


def _exit(code: int | None) -> str:
    return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"


def _run(connection: Connection, work: Callable[..., Any], args: tuple[Any, ...]) -> None:
    # Paddle warns about compilers when it is imported, torch about its own deprecated parts.
    warnings.filterwarnings("ignore", message="No ccache found")
    warnings.filterwarnings("ignore", message=".*LeafSpec.*", category=FutureWarning)
    try:
        result = work(*args, reporter(connection))
    except TorchferryError as error:
        connection.send(("failed", error.line))
    except Exception as error:
        package = package_of(error.name or "") if isinstance(error, ImportError) else None
        if package is not None:
            connection.send(("failed", lacking([package])))
            return
        traceback.print_exc(file=sys.stderr)
        connection.send(
            (
                "failed",
                f"{type(error).__name__}: {error}; this is a mistake of Torchferry's, or of"
                " the model: the traceback is above",
            )
        )
    else:
        connection.send(("done", result))
