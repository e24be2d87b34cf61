"""The line that shows the progress of a long cell."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from IPython import display

from jupyter_ext import progress


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of the one output, as a notebook would hold them one after the other."""
    texts: list[str] = []

    class Handle:
        def update(self, content: dict[str, str], **_: Any) -> None:
            texts.append(content["text/plain"])

    def show(content: dict[str, str], **_: Any) -> Handle:
        texts.append(content["text/plain"])
        return Handle()

    monkeypatch.setattr(display, "display", show)
    return texts


def test_the_first_cell_says_what_is_imported(
    shown: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "paddle", raising=False)
    with progress.Importing(("sys", "paddle")):
        assert shown == ["Importing paddle …"]
    assert shown[1:] == ["Imported paddle in 0 s"]
    with progress.Importing(("sys", "time")), progress.Importing(("paddle",), shown=False):
        assert len(shown) == 2


def test_a_short_cell_shows_nothing(shown: list[str]) -> None:
    with progress.Progress() as line:
        line.step(1, 2)
    assert shown == []


def test_a_long_cell_says_how_far_it_came(
    shown: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_AFTER", 0.0)
    with pytest.raises(KeyboardInterrupt), progress.Progress() as line:
        line.step(1, 3)
        line.step(2, 3)
        raise KeyboardInterrupt
    assert shown[:2] == [
        "1 of 3 statements ran on both sides; interrupt to cancel",
        "2 of 3 statements ran on both sides; interrupt to cancel",
    ]
    assert shown[2] == "2 of 3 statements ran on both sides in 0 s, then it was stopped"
