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


@pytest.fixture
def session(bare: Session) -> Session:
    """A session that is ready for documents, as VS Code would set it up."""
    bare.initialize(["utf-16"])
    return bare
