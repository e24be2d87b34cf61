"""The client, as the session sees it."""

from __future__ import annotations

from typing import Any, Protocol

from pygls.workspace import Workspace


class Client(Protocol):
    """Receiver of messages, and source of the open folders."""

    @property
    def workspace(self) -> Workspace:
        """The open folders."""

    def send_plain(self, message: dict[str, Any]) -> None:
        """Send a message made of plain values."""

    def send_request(self, method: str) -> Any:
        """Send a request without parameters."""
