"""Hover shows the conversion of a use, and its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lsp_session import Session

URI = "file:///w/a.py"
TEXT = "import torch\n\nx = torch.sum(torch.zeros(2, 3), dim=1)  # rows\n"


def test_the_use_with_its_own_arguments(session: Session) -> None:
    session.open(URI, TEXT)
    shown = session.hover(URI, 2, 6)
    assert shown
    assert "`torch.sum`" in shown and "paddle.sum" in shown
    assert "dim=1" in shown
    assert "import" not in shown


def test_the_innermost_use(session: Session) -> None:
    session.open(URI, TEXT)
    shown = session.hover(URI, 2, TEXT.split("\n")[2].index("zeros"))
    assert shown and shown.startswith("`torch.zeros`")


def test_a_later_use_of_a_difference_is_not_called_exact(session: Session) -> None:
    session.open(URI, "import torch\n\na = torch.nn.Linear(2, 3)\nb = torch.nn.Linear(3, 4)\n")
    shown = session.hover(URI, 3, 14)
    assert shown and "`torch.nn.Linear` → `paddle.nn.Linear`: converts\n" in shown
    assert "Fix: can compute differently (TF110, which is reported at the first such use)." in shown


def test_silence_elsewhere(session: Session) -> None:
    session.open(URI, TEXT)
    assert session.hover(URI, 1, 0) is None
    assert session.hover(URI, 99, 99) is None
    assert session.hover("file:///w/never-opened.py", 0, 0) is None
