"""What a process that works tells the one that waits for it: what it is at, and how it went.

Each message is a pair: `("at", what it is about to do)`, `("done", its result)` or `("failed", what
to tell the user)`. Both ends are kept here; who starts the process, and what its end means,
differs.
"""

from __future__ import annotations

from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from workbench.errors import TorchferryError

Report = Callable[[str], None]


class SilentError(Exception):
    """Nothing came for as long as somebody was ready to wait; its text is what was done last."""


class EndedError(Exception):
    """The process ended without a result; its text is what was done last."""


def answer(connection: Connection, patience: float) -> Any:
    """The result of the work at the other end.

    Args:
        connection: what its messages arrive by.
        patience: seconds without a message after which the wait is over.

    Raises:
        TorchferryError: the work failed.
        SilentError: no message came in time.
        EndedError: the other end was closed before there was a result.
    """
    doing = "starting"
    try:
        while connection.poll(patience):
            kind, value = connection.recv()
            if kind == "at":
                doing = value
            elif kind == "done":
                return value
            else:
                raise TorchferryError(value)
    except EOFError:
        raise EndedError(doing) from None
    raise SilentError(doing)


def reporter(connection: Connection) -> Report:
    """What the work calls to say what it is about to do."""
    return lambda what: connection.send(("at", what))
