"""Columns mean the same place in each unit that a client may count in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lsp_session import Session, apply, edits_of, span

from lsp_server.wire.encoding import Encoding
from workbench.positions import Lines, Position

if TYPE_CHECKING:
    from collections.abc import Iterator

URI = "file:///w/a.py"
#                    x = "é😀"; y = torch.abs(z)
LINE = 'x = "é😀"; y = torch.abs(z)'
TEXT = f"import torch\n{LINE}\n"
START = LINE.index("torch.abs")

UNITS = {
    "utf-8": len(LINE[:START].encode()),
    "utf-16": len(LINE[:START].encode("utf-16-le")) // 2,
    "utf-32": START,
}


@pytest.fixture(scope="module", params=UNITS)
def encoding(request: pytest.FixtureRequest) -> str:
    """A unit that a client may count in."""
    return str(request.param)


@pytest.fixture(scope="module")
def server(encoding: str) -> Iterator[Session]:
    """The server that the tests of one unit share."""
    started = Session()
    try:
        started.start()
        answer = started.initialize([encoding])
        assert answer.capabilities.position_encoding == encoding
        yield started
    finally:
        started.end()


@pytest.fixture
def counting(server: Session) -> Iterator[Session]:
    """A session that counts in one unit, with no document open."""
    yield server
    server.leave()


def test_a_finding_after_wide_characters(counting: Session, encoding: str) -> None:
    counting.open(URI, TEXT)
    found = [each for each in counting.diagnostics(URI) if each.range.start.line]
    starts = [each.range.start.character for each in found]
    assert starts == [UNITS[encoding]]
    assert counting.hover(URI, 1, UNITS[encoding])
    assert not counting.hover(URI, 1, UNITS[encoding] - 2)


def test_an_edit_after_wide_characters(counting: Session, encoding: str) -> None:
    counting.open(URI, TEXT)
    at = UNITS[encoding] + len("torch.")
    counting.change(URI, 2, ((1, at, 1, at + len("abs")), "exp"))
    [found] = [each for each in counting.diagnostics(URI, 2) if each.range.start.line]
    assert found.range.start.character == UNITS[encoding]
    assert "exp" in found.message


def test_an_old_client_counts_in_utf16(bare: Session) -> None:
    answer = bare.initialize(None)
    assert answer.capabilities.position_encoding == "utf-16"


def test_a_fix_lands_after_wide_characters(session: Session) -> None:
    session.open(URI, TEXT)
    [found] = [each for each in session.diagnostics(URI) if each.range.start.line]
    action = session.actions(URI, found.range, only=["quickfix"])[0]
    changed = apply(TEXT, edits_of(session.resolve(action)))
    assert 'x = "é😀"; y = paddle.abs(z)' in changed


def test_places_outside_the_text_move_to_the_nearest(counting: Session) -> None:
    counting.open(URI, "import torch\n")
    counting.change(URI, 2, ((7, 9, 99, 99), "y = torch.abs(z)"), ((0, 500, 0, 500), "  # end"))
    [found] = [each for each in counting.diagnostics(URI, 2) if each.range.start.line]
    assert found.range == span(1, 4, 1, found.range.end.character)


def test_half_a_character_is_one_place_in_every_encoding() -> None:
    lines = Lines("'\ud800😀' + x")
    for kind in ("utf-8", "utf-16", "utf-32"):
        how = Encoding(kind)
        for column in range(len(lines.text) + 1):
            units = how.encode(lines, Position(0, column))
            assert how.decode(lines, 0, units) == Position(0, column)
    assert Encoding("utf-16").decode(lines, 0, 3) == Position(0, 2)  # between its halves
    assert Encoding("utf-8").decode(lines, 0, 6) == Position(0, 2)
