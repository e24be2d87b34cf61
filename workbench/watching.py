"""Messages from a working process to the process that waits for it: its step and its result.

Each message is a pair: `("at", the next step)`, `("done", the result)` or `("failed", a message for
the user)`. Both ends are implemented here; callers differ in how they start the process and in what
its end means.
"""

from __future__ import annotations

from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from workbench.errors import TorchferryError

Report = Callable[[str], None]


class SilentError(Exception):
    """An error for a process without messages in the allowed time; its text is the last step."""


class EndedError(Exception):
    """An error for a process that ended without a result; its text is the last step."""


def answer(connection: Connection, patience: float) -> Any:
    """Return the result of the work at the other end.

    Args:
        connection: the connection for its messages.
        patience: the seconds to wait for each message.

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
    """Return a function that the work calls with its next step."""
    return lambda what: connection.send(("at", what))
