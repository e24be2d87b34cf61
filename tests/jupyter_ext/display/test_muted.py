"""Figures that are drawn while nothing may be shown."""

from __future__ import annotations

import sys
from collections import OrderedDict
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from jupyter_ext.display.muted import muted


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> OrderedDict[int, Any]:
    """The open figures of matplotlib: one, which is the present figure."""
    helpers: Any = ModuleType("matplotlib._pylab_helpers")
    helpers.Gcf = SimpleNamespace(figs=OrderedDict({1: ["a line"]}))
    monkeypatch.setitem(sys.modules, helpers.__name__, helpers)
    figs: OrderedDict[int, Any] = helpers.Gcf.figs
    return figs


def draw(figures: OrderedDict[int, Any], line: str) -> None:
    """Draw into the present figure, or into a new one, as `plt.plot` does."""
    present = next(reversed(figures), None)
    figures.setdefault(present or 1, []).append(line)


def test_the_present_figure_is_not_drawn_into(figures: OrderedDict[int, Any]) -> None:
    with muted():
        draw(figures, "another line")
    assert figures == {1: ["a line"]}


def test_figures_come_back_after_an_error(figures: OrderedDict[int, Any]) -> None:
    with pytest.raises(ZeroDivisionError), muted():
        draw(figures, str(1 / 0))
    assert figures == {1: ["a line"]}
