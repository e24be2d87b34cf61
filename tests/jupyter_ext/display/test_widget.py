"""The widget of a comparison: sorted by what one picks, and a picture of one tensor."""

from __future__ import annotations

import re

import pytest
import torch

from jupyter_ext.display.output import WIDGET, Shown
from jupyter_ext.display.pictures import heat_map, histogram
from jupyter_ext.display.widget import widget
from workbench.compare import Comparison, Run, Tolerance
from workbench.compare.judging.tensors import draw, tensor_row


@pytest.fixture
def comparison() -> Comparison:
    made = Comparison("x", "x", "paddle", Run("torch"), Run("paddle"))
    for name, gap in (("a", 1e-7), ("b", 0.5), ("c", 1e-3)):
        value = torch.ones(4, 6)
        other = value.clone()
        other[1, 2] += gap
        made.rows.append(tensor_row(name, value, other, Tolerance()))
    return made


def names(view: object) -> list[str]:
    return re.findall(r'<td class="tf-name">(\w+)</td>', view.value)  # type: ignore[attr-defined]


def test_rows_are_sorted_by_what_is_picked(comparison: Comparison) -> None:
    _, controls, values, _ = widget(comparison, [0], ("values",)).children
    order = controls.children[0]
    assert names(values) == ["b", "c", "a"]
    order.value = "name"
    assert names(values) == ["a", "b", "c"]
    order.value = "largest difference"
    assert names(values) == ["b", "c", "a"]


def test_the_picked_tensor_is_drawn(comparison: Comparison) -> None:
    _, controls, _, drawing = widget(comparison, [0], ("values",)).children
    assert not drawing.value
    controls.children[1].value = "b"
    assert "heat map" in drawing.value and "histogram" in drawing.value
    controls.children[1].value = ""
    assert not drawing.value


def test_only_what_is_to_be_shown(comparison: Comparison) -> None:
    assert len(widget(comparison, [0], ("code",)).children) == 1


def test_pictures_show_where_and_how_much() -> None:
    error = torch.zeros(3, 5)
    error[2, 4], error[0, 0] = 1.0, 1e-3
    drawn = heat_map(draw(error))
    assert drawn.count("h1v1h-1z") == 2
    assert 'fill-opacity="1.00" d="M4 2h1v1h-1z"' in drawn  # the last row's last
    assert histogram(draw(error)).count("<rect") == 2


def test_the_widget_is_sent_where_a_server_can_show_it(
    comparison: Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    shown = Shown(comparison, [0], ("code", "values"))
    assert WIDGET not in shown._repr_mimebundle_()
    monkeypatch.setenv("JPY_SESSION_NAME", "a.ipynb")
    bundle = shown._repr_mimebundle_()
    assert bundle[WIDGET]["model_id"]
    # Whoever has no widgets sees the same in HTML, or reads it.
    assert "where they differ" in bundle["text/html"]
    assert "b     4×6" in bundle["text/plain"]
