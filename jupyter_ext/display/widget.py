"""A comparison as one widget: the content of the HTML output, sorted and explored by mouse.

Frontends without widgets show the HTML output, which has the same content.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from jupyter_ext.display.pictures import picture
from jupyter_ext.display.render import closing, opening, table
from jupyter_ext.installed import installed_only
from workbench.compare.result import worst_first

if TYPE_CHECKING:
    from workbench.compare import Comparison, Row

_ORDERS: dict[str, Callable[[Row], Any]] = {
    "outcome": lambda row: (worst_first(row), row.name),
    "name": lambda row: row.name,
    "shape": lambda row: -_size(row),
    "dtype": lambda row: row.dtype or "",
    "largest difference": lambda row: -(row.max_abs or 0.0),
    "relative difference": lambda row: -(row.max_rel or 0.0),
    "share off": lambda row: -(row.share_off or 0.0),
}


def available() -> bool:
    """Return whether a Jupyter server started this kernel, and widgets are installed."""
    return "JPY_SESSION_NAME" in os.environ and find_spec("ipywidgets") is not None


def widget(comparison: Comparison, line_map: Sequence[int], show: Collection[str]) -> Any:
    """Return the widget; its parts are those of the HTML output."""
    with installed_only():
        import ipywidgets

    rows = comparison.valued
    pictured = {row.name: row.picture for row in rows if row.picture is not None}
    order = ipywidgets.Dropdown(options=list(_ORDERS), description="sort by")
    chosen = ipywidgets.Dropdown(
        options=[("none", ""), *zip(pictured, pictured, strict=True)], description="picture of"
    )
    for box in (order, chosen):
        box.style.description_width = "initial"
        box.layout.width = "auto"
    values, drawing = ipywidgets.HTML(), ipywidgets.HTML()

    def sort(change: Any = None) -> None:
        values.value = _card(table(sorted(rows, key=_ORDERS[order.value])))

    def draw(change: Any = None) -> None:
        found = pictured.get(chosen.value)
        drawing.value = _card(picture(found)) if found else ""

    order.observe(sort, "value")
    chosen.observe(draw, "value")
    sort()
    parts = [ipywidgets.HTML(opening(comparison, line_map, show))]
    if "values" in show and rows:
        controls = [order, chosen] if pictured else [order]
        parts += [ipywidgets.HBox(controls, layout={"flex_flow": "row wrap"}), values, drawing]
    last = closing(comparison, show)
    parts += [ipywidgets.HTML(last)] if last else []
    return ipywidgets.VBox(parts)


def _card(content: str) -> str:
    return f'<div class="tf-card tf-plain">{content}</div>'


def _size(row: Row) -> int:
    size = 1
    for length in row.shape or ():
        size *= length
    return size
