"""Captures the graph of a call that the person chose, and leads its nodes back to cells."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..installed import installed_only

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workbench.capture import Graph, Location, Node
    from workbench.capture.figures import Measured

    from .cells import Cells

Json = dict[str, Any]
_COLLECT = "_torchferry_collect_arguments"


@dataclass
class Traced:
    """A captured graph, ready for the panel."""

    call: str
    graph: Graph
    files: Mapping[str, tuple[str, int]]
    netron: bytes

    def content(self, measured: Mapping[str, Measured] | None = None) -> Json:
        """Return facts about the graph and its nodes; Netron's file is sent separately as bytes.

        `measured` has the results of running the nodes on both sides.
        """
        from workbench.capture.hierarchy import hierarchy

        return {
            "call": self.call,
            "name": self.graph.name,
            "nodes": {node.name: self.node(node) for node in self.graph.calls},
            "boxes": hierarchy(self.graph, measured).content(),
            "flops": self.graph.flops,
            "warnings": list(self.graph.warnings),
        }

    def node(self, node: Node) -> Json:
        """Return one node: its operation, and its origin."""
        return {
            "op": node.op,
            "module": node.module,
            "moduleType": node.module_type.rpartition(".")[2],
            "inputs": list(node.inputs),
            "values": [str(value) for value in node.values if value is not None],
            "flops": node.flops,
            "bytes": node.bytes,
            "place": self.place(node.location),
        }

    def place(self, location: Location | None) -> Json | None:
        """Return a line; in a cell of the notebook, by the cell's id or by its execution count."""
        if location is None:
            return None
        cell, first = self.files.get(location.file, (None, 0))
        return {
            "cell": cell,
            "count": location.cell,
            "file": location.file,
            "line": location.line - 1 + first,
            "code": location.code,
        }


def trace_call(text: str, names: Mapping[str, object], cells: Cells, shell: Any) -> Traced:
    """Capture the computation of a call such as `net(images)`.

    Raises:
        ValueError: the text is not a call, or its parts cannot be evaluated.
        CaptureError: the model cannot be captured.
    """
    with installed_only():
        from workbench.capture import capture
        from workbench.capture.netron import encode, graph_document

    model, args, kwargs = parts(text, names)
    graph = capture(model, args, kwargs)
    return Traced(text, graph, cell_files(cells, shell), encode(graph_document(graph)))


def parts(
    text: str, names: Mapping[str, object]
) -> tuple[Any, tuple[object, ...], dict[str, object]]:
    """Return the function and the arguments of a call, evaluated, without calling it."""
    with installed_only():
        import torch

    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError as error:
        raise ValueError(f"`{text}` is not Python: {error.msg}") from None
    call = tree.body
    if not isinstance(call, ast.Call):
        raise ValueError(f"`{text}` is not a call; write one such as net(images)")

    def collect(*args: object, **kwargs: object) -> tuple[tuple[object, ...], dict[str, object]]:
        return args, kwargs

    scope = {"torch": torch, **names, _COLLECT: collect}
    gather = ast.Call(ast.Name(_COLLECT, ast.Load()), call.args, call.keywords)
    # Random inputs must not advance the person's own random stream.
    with torch.random.fork_rng(), torch.no_grad():
        model = _evaluate(call.func, scope, text)
        args, kwargs = _evaluate(gather, scope, text)
    return model, args, kwargs


def _evaluate(node: ast.expr, scope: dict[str, object], text: str) -> Any:
    tree = ast.fix_missing_locations(ast.Expression(node))
    try:
        return eval(compile(tree, "<Torchferry: call to trace>", "eval"), scope)
    except Exception as error:
        raise ValueError(
            f"`{ast.unparse(node).replace(_COLLECT, '')}` of `{text}` cannot be evaluated: "
            f"{type(error).__name__}: {error}. Run the cell first, or change the call"
        ) from error


def cell_files(cells: Cells, shell: Any) -> dict[str, tuple[str, int]]:
    """Return the cell and the line where its code begins, by the kernel's file name for it.

    ipykernel makes the name of a text itself, so a cell that was changed after it ran has no file.
    A `%%convert` cell is compiled without its first line, and every text without the empty lines
    that it begins with.
    """
    name_of = shell.compile.get_code_name
    found: dict[str, tuple[str, int]] = {}
    for cell, source in cells.sources.items():
        head, _, body = source.partition("\n")
        if head.startswith("%%"):
            found[name_of(body, body, 0)] = (cell, 1 + _empty_lines(body))
        found[name_of(source, source, 0)] = (cell, _empty_lines(source))
    return found


def _empty_lines(text: str) -> int:
    """Return the number of empty lines before the first one that is not."""
    return text[: len(text) - len(text.lstrip())].count("\n")
