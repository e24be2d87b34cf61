"""Sessions with a server process of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lsp_session import Session

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def unstarted() -> Iterator[Session]:
    """A session whose server is yet to be started."""
    session = Session()
    try:
        yield session
    finally:
        session.end()


@pytest.fixture
def bare(unstarted: Session) -> Session:
    """A session whose server runs but has not been initialized."""
    unstarted.start()
    return unstarted


@pytest.fixture(scope="session")
def servers() -> Iterator[list[Session]]:
    """The servers that the tests of a worker have shared."""
    started: list[Session] = []
    yield started
    for session in started:
        session.end()


@pytest.fixture
def session(servers: list[Session]) -> Iterator[Session]:
    """A session that is ready for documents, as VS Code would set it up.

    The tests of a worker have one server, which a test leaves as it found it, or ends.
    """
    if not (servers and servers[-1].is_running):
        servers.append(Session())
        servers[-1].start()
        servers[-1].initialize(["utf-16"])
    yield servers[-1]
    if servers[-1].is_running:
        servers[-1].leave()
