"""The display of a converted cell: a widget, HTML without widgets, plain text elsewhere."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from jupyter_ext.display.render import as_html
from jupyter_ext.display.widget import available, widget
from workbench.compare import Comparison, Origin
from workbench.compare.result import as_text, headline

WIDGET = "application/vnd.jupyter.widget-view+json"
FACTS = "application/vnd.torchferry.comparison+json"


def publish(shown: Shown) -> None:
    """Display it in the running cell."""
    from IPython.core.interactiveshell import InteractiveShell

    data = shown._repr_mimebundle_()
    InteractiveShell.instance().display_pub.publish(data)


class Shown:
    """A comparison with the parts of it that the user wants to see."""

    def __init__(
        self, comparison: Comparison, line_map: Sequence[int], show: Collection[str]
    ) -> None:
        self.comparison = comparison
        self._line_map = line_map
        self._show = show

    def __repr__(self) -> str:
        return as_text(self.comparison)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {**self._widget(), **self.static(), FACTS: self.facts()}

    def static(self) -> dict[str, Any]:
        """Return the representations that need at most a browser."""
        return {
            "text/plain": as_text(self.comparison),
            "text/html": as_html(self.comparison, self._line_map, self._show),
        }

    def _widget(self) -> dict[str, Any]:
        """Return the widget's own representation, if a frontend can show it."""
        if not available():
            return {}
        view: dict[str, Any] = widget(self.comparison, self._line_map, self._show).get_view_spec()
        return {WIDGET: view}

    def facts(self) -> dict[str, Any]:
        """Return the outcome for programs that read the notebook; no frontend draws it."""
        comparison = self.comparison
        return {
            "same": comparison.outcome.agrees,
            "outcome": comparison.outcome.value,
            "headline": headline(comparison),
            "ran": comparison.ran,
            "values": len(comparison.rows),
            "carried": sum(row.origin is Origin.CARRIED for row in comparison.rows),
            "max_rel": comparison.max_rel,
            "torch_seconds": comparison.torch.seconds,
            "target_seconds": comparison.target.seconds,
        }
