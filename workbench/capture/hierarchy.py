"""A captured graph as nested boxes: modules fold, and repeated blocks form one stack.

A leaf is one call (with the nodes that unpack its results); any other box contains boxes. The
children of a box are in execution order, and each is a contiguous run of the nodes of its parent.
So the edges between boxes form no cycle, folded or not. A module that is called twice is therefore
two boxes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any

from workbench.capture.figures import Figures, Measured, Verdict
from workbench.capture.graph import Kind
from workbench.capture.netron import category

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from workbench.capture.graph import Graph, Node

ROOT = "/"
# Fewer repeated blocks than this are as easy to read as their stack.
_STACK = 3
# More boxes than this in one box are slow to lay out and hard to read.
_MOST = 120


@dataclass(eq=False)
class Box:
    """A call, a module, a stack of equal blocks, or a part of a long list.

    `id` is the node's name for a call; others start with a slash. `name` is the displayed name,
    `type` the module's class (empty outside leaf modules), `path` the module's path. `repeat`
    counts the blocks of a stack. `shape` is equal for boxes that compute the same.
    """

    id: str
    name: str
    type: str = ""
    path: str = ""
    op: str = ""
    nodes: tuple[str, ...] = ()
    children: list[Box] = field(default_factory=list)
    repeat: int = 0
    shape: object = None
    figures: Figures = field(default_factory=Figures)
    parent: Box | None = None

    def leaves(self) -> Iterator[Box]:
        """Yield the calls in the box; the box itself if it is a call."""
        if not self.children:
            yield self
        for child in self.children:
            yield from child.leaves()

    def above(self) -> Iterator[Box]:
        """Yield the box itself and its ancestors, innermost first."""
        box: Box | None = self
        while box is not None:
            yield box
            box = box.parent


@dataclass(frozen=True)
class Hierarchy:
    """All boxes of a graph, by id, and the edges between the calls in them.

    For each box with children, `edges` has the links between two of them: each link is the
    producing call and the consuming call. The endpoint drawn is the innermost visible box around
    the call.
    """

    root: Box
    boxes: Mapping[str, Box]
    edges: Mapping[str, Mapping[tuple[str, str], Sequence[tuple[str, str]]]]

    def content(self) -> dict[str, Any]:
        """Return the hierarchy as JSON."""
        return {box.id: self._box(box) for box in self.boxes.values()}

    def _box(self, box: Box) -> dict[str, Any]:
        return {
            "name": box.name,
            "type": box.type,
            "path": box.path,
            "op": box.op,
            "kind": category(box.op),
            "nodes": list(box.nodes),
            "repeat": box.repeat,
            "parent": box.parent.id if box.parent else None,
            "children": [child.id for child in box.children],
            "edges": [
                {"from": start, "to": end, "links": [list(link) for link in links]}
                for (start, end), links in self.edges.get(box.id, {}).items()
            ],
            "figures": box.figures.content(),
        }


def hierarchy(graph: Graph, measured: Mapping[str, Measured] | None = None) -> Hierarchy:
    """Return the boxes of a graph; `measured` has the measurements of its nodes, by name."""
    leaves = _leaves(graph, measured or {})
    maker = _Maker(module_types(graph))
    inputs = [Box(name, name, op="input", nodes=(name,)) for name in graph.inputs]
    output = Box("/output", "output", op="output", nodes=graph.outputs)
    root = Box(ROOT, graph.name, children=[*inputs, *maker.children((), leaves), output])
    boxes = {box.id: box for box in _settle(root)}
    return Hierarchy(root, boxes, _edges(graph, root))


def _leaves(graph: Graph, measured: Mapping[str, Measured]) -> list[Box]:
    """Return a box for each call, which includes the nodes that unpack its results."""
    taken: dict[str, list[Node]] = {}
    leaves = []
    for node in graph.calls:
        source = graph.node(node.inputs[0]) if node.op == "getitem" and node.inputs else None
        if source is not None and source.kind is Kind.CALL:
            taken.setdefault(source.name, []).append(node)
    inside = {node.name for nodes in taken.values() for node in nodes}
    for node in graph.calls:
        if node.name in inside:
            continue
        nodes = [node, *taken.get(node.name, ())]
        op = node.op.partition(".")[0]
        box = Box(node.name, op, path=node.module, op=op, nodes=tuple(n.name for n in nodes))
        box.shape = (node.op, *map(str, node.values))
        box.figures = Figures.of_call(nodes, measured)
        leaves.append(box)
    return leaves


class _Maker:
    """Builder of boxes from calls."""

    def __init__(self, types: Mapping[str, str]) -> None:
        self.types = types
        self.ids: set[str] = set()

    def children(self, prefix: tuple[str, ...], leaves: Sequence[Box]) -> list[Box]:
        """Return the boxes in the module at a path, for calls that are all inside it."""
        depth = len(prefix)
        found: list[Box] = []
        for part, run in groupby(leaves, lambda leaf: _parts(leaf.path)[depth : depth + 1]):
            inside = list(run)
            found += [self.module((*prefix, *part), inside)] if part else inside
        return self.pages(self.stacks(found))

    def module(self, path: tuple[str, ...], leaves: Sequence[Box]) -> Box:
        """Return the box of one module call; a module with one child is that child, renamed."""
        children = self.children(path, leaves)
        dotted = ".".join(path)
        kind = self.types.get(dotted, "")
        if len(children) == 1:
            (only,) = children
            # A single call, or a box that contains boxes already, needs no second frame.
            if not only.children and only.path == dotted:
                only.name, only.type = displayed_name(dotted), kind
            elif only.repeat and not kind:
                only.name = displayed_name(dotted)
            return only
        box = Box(self.fresh(f"/{dotted}"), displayed_name(dotted), kind, dotted, children=children)
        box.shape = (kind, *(child.shape for child in children))
        box.figures = Figures.of_boxes(child.figures for child in children)
        return box

    def stacks(self, boxes: Sequence[Box]) -> list[Box]:
        """Return the boxes, with runs of equal modules with equal verdicts in a stack."""
        found: list[Box] = []
        for _, each in groupby(boxes, _alike):
            run = list(each)
            if len(run) < _STACK or not all(box.children for box in run):
                found += run
                continue
            first, last = run[0], run[-1]
            name = f"{first.name}–{last.name.rpartition('.')[2]}"
            stack = Box(self.fresh(f"{first.id}…"), name, first.type, children=self.pages(run))
            stack.repeat = len(run)
            stack.shape = tuple(box.shape for box in run)
            stack.figures = Figures.of_boxes(box.figures for box in run)
            found.append(stack)
        return found

    def pages(self, boxes: list[Box]) -> list[Box]:
        """Return the boxes, with a long list split into parts."""
        while len(boxes) > _MOST:
            parts = [boxes[start : start + _MOST] for start in range(0, len(boxes), _MOST)]
            boxes = [self.page(part) for part in parts]
        return boxes

    def page(self, boxes: Sequence[Box]) -> Box:
        """Return a box of consecutive boxes."""
        name = f"{boxes[0].name} … {boxes[-1].name}"
        page = Box(self.fresh(f"/{boxes[0].id} …"), name, children=list(boxes))
        page.shape = tuple(box.shape for box in boxes)
        page.figures = Figures.of_boxes(box.figures for box in boxes)
        return page

    def fresh(self, wanted: str) -> str:
        """Return an unused id; the second call of a module gets a number."""
        name, number = wanted, 2
        while name in self.ids:
            name, number = f"{wanted}#{number}", number + 1
        self.ids.add(name)
        return name


def _alike(box: Box) -> object:
    """Return what stacked boxes share: what they compute, and whether it differs."""
    return box.shape, box.figures.verdict is Verdict.DIFFERENT


def displayed_name(path: str) -> str:
    """Return the displayed name of a module: `features.0`, not `0`."""
    parts = path.split(".")
    start = len(parts) - 1
    while start > 0 and parts[start].isdigit():
        start -= 1
    return ".".join(parts[start:])


def _parts(path: str) -> tuple[str, ...]:
    return tuple(path.split(".")) if path else ()


def module_types(graph: Graph) -> dict[str, str]:
    """Return the class name of each called module, by path."""
    types: dict[str, str] = {}
    for node in graph.program.graph.nodes:
        for path, kind in (node.meta.get("nn_module_stack") or {}).values():
            name = kind if isinstance(kind, str) else kind.__qualname__
            types[path] = name.rpartition(".")[2]
    return types


def _settle(root: Box) -> Iterator[Box]:
    """Set the parent of every box and the root's figures; yield every box."""
    root.figures = Figures.of_boxes(child.figures for child in root.children)
    waiting = [root]
    while waiting:
        box = waiting.pop()
        yield box
        for child in box.children:
            child.parent = box
        waiting += reversed(box.children)


def _edges(graph: Graph, root: Box) -> dict[str, dict[tuple[str, str], list[tuple[str, str]]]]:
    """Return the links between calls, by the innermost box that contains both."""
    home = {name: leaf for leaf in root.leaves() for name in leaf.nodes if leaf.op != "output"}
    output = root.children[-1]
    links: Iterable[tuple[Box, Box]] = [
        *((home[name], box) for box in home.values() for name in _read(graph, box) if name in home),
        *((home[name], output) for name in graph.outputs if name in home),
    ]
    edges: dict[str, dict[tuple[str, str], list[tuple[str, str]]]] = {}
    for start, end in dict.fromkeys(links):
        if start is end:
            continue
        above = dict(_pairs(start))
        holder, child = next(pair for pair in _pairs(end) if pair[0] in above)
        between = edges.setdefault(holder.id, {})
        between.setdefault((above[holder].id, child.id), []).append((start.id, end.id))
    return edges


def _pairs(box: Box) -> Iterator[tuple[Box, Box]]:
    """Yield each ancestor of a box with its child on the path to the box, innermost first."""
    for inner in box.above():
        if inner.parent is not None:
            yield inner.parent, inner


def _read(graph: Graph, box: Box) -> Iterator[str]:
    for name in box.nodes:
        yield from graph.node(name).inputs
