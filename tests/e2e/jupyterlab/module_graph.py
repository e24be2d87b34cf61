"""A graph that is drawn by its modules, on a canvas, as the browser tests use it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Locator, TimeoutError, expect

_NODES = """node => node._cyreg.cy.nodes().map(each => ({
    id: each.id(),
    label: each.data('label').split('\\n')[0],
    note: each.data('label').split('\\n')[1] ?? '',
    colour: each.data('colour'),
    chosen: each.hasClass('chosen'),
    depth: each.data('depth'),
    at: each.renderedPosition(),
    width: each.renderedWidth(),
    height: each.renderedHeight(),
}))"""
# From above to below, as an eye goes over it.
_LABELS = """canvas => canvas._cyreg?.cy.nodes()
    .map(each => [each.position('y') - each.height() / 2, each.data('label').split('\\n')[0]])
    .sort(([one], [other]) => one - other)
    .map(([, label]) => label)"""
_DRAWN = f"""([canvas, labels]) => JSON.stringify(({_LABELS})(canvas)) === JSON.stringify(labels)"""

_ALIKE = """sides => {
    const [one, other] = sides.map(({ _cyreg: { cy } }) => [cy.zoom(), cy.pan().x, cy.pan().y]);
    return one.every((figure, i) => Math.abs(figure - other[i]) < 0.01);
}"""


@dataclass(frozen=True)
class Modules:
    """One drawn graph; of a pair, `side` is 0 for torch and 1 for the target."""

    graph: Locator
    side: int = 0

    @property
    def canvas(self) -> Locator:
        return self.graph.locator(".tf-Modules-canvas").nth(self.side)

    @property
    def facts(self) -> Locator:
        return self.graph.locator(".tf-Facts")

    @property
    def way(self) -> Locator:
        """The boxes around the chosen one."""
        return self.graph.get_by_role("navigation", name="Enclosing modules")

    @property
    def other(self) -> Modules:
        return Modules(self.graph, 1 - self.side)

    def nodes(self) -> list[dict[str, Any]]:
        """Return the boxes that are drawn."""
        nodes: list[dict[str, Any]] = self.canvas.evaluate(_NODES)
        return nodes

    def labels(self) -> list[str]:
        """Return the names of the boxes, from above to below."""
        labels: list[str] = self.canvas.evaluate(_LABELS)
        return labels

    def expect_labels(self, *labels: str) -> None:
        """Wait until exactly these boxes are drawn, from above to below."""
        expect(self.canvas).to_be_visible()
        handle = self.canvas.element_handle()
        with suppress(TimeoutError):
            self.canvas.page.wait_for_function(
                _DRAWN, arg=[handle, list(labels)], timeout=15_000, polling=100
            )
        assert self.labels() == list(labels), self.labels()

    def expect_alike(self) -> None:
        """Wait until both sides of a pair show the same part of the graph."""
        sides = [each.canvas.element_handle() for each in (self, self.other)]
        self.canvas.page.wait_for_function(_ALIKE, arg=sides)

    def node(self, label: str) -> dict[str, Any]:
        """Return the box of this name."""
        return next(node for node in self.nodes() if node["label"] == label)

    def chosen(self) -> list[str]:
        return [node["label"] for node in self.nodes() if node["chosen"]]

    def click(self, label: str) -> None:
        """Click a box in its middle."""
        self.canvas.click(position=self.node(label)["at"])

    def screen(self, label: str) -> tuple[float, float]:
        """Return the position of a box's middle on the page."""
        at, box = self.node(label)["at"], self.canvas.bounding_box()
        assert box is not None
        return box["x"] + at["x"], box["y"] + at["y"]

    def toggle(self, label: str) -> None:
        """Click the sign of a box, that is at the left of its head."""
        node = self.node(label)
        corner = {edge: node["at"][edge] - node[size] / 2 for edge, size in _SIZES}
        scale = self.canvas.evaluate("canvas => canvas._cyreg.cy.zoom()")
        self.canvas.click(position={"x": corner["x"] + 16 * scale, "y": corner["y"] + 16 * scale})


_SIZES = [("x", "width"), ("y", "height")]
