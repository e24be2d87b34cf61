"""Conversion of an exported program to `Graph` and `Node`, with facts and cost estimates."""

from __future__ import annotations

import operator
from math import prod
from typing import TYPE_CHECKING, Any

import torch
from torch.export.graph_signature import InputKind

from workbench.capture import cost
from workbench.capture.graph import Attribute, Dimension, Graph, Kind, Node, Value
from workbench.capture.provenance import Origins, innermost, locations

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from torch.export import ExportedProgram
    from torch.fx import Node as FxNode

_KINDS = {
    InputKind.USER_INPUT: Kind.INPUT,
    InputKind.PARAMETER: Kind.PARAMETER,
    InputKind.BUFFER: Kind.BUFFER,
    InputKind.CONSTANT_TENSOR: Kind.CONSTANT,
    InputKind.CUSTOM_OBJ: Kind.CONSTANT,
    InputKind.TOKEN: Kind.CONSTANT,
}


def read_program(
    program: ExportedProgram,
    *,
    name: str,
    origins: Origins,
    symbols: Mapping[str, str] | None = None,
    training: bool = False,
) -> Graph:
    """Return the graph of a functional exported program; `origins` has its nodes' provenance."""
    reader = _Reader(origins, symbols or {})
    specs = {spec.arg.name: spec for spec in program.graph_signature.input_specs}
    nodes: list[Node] = []
    subgraphs: dict[str, tuple[Node, ...]] = {}
    for node in program.graph.nodes:
        if node.op == "placeholder":
            spec = specs[node.name]
            nodes.append(reader.leaf(node, _KINDS[spec.kind], spec.target or ""))
        elif node.op == "get_attr":
            inner = getattr(program.graph_module, str(node.target))
            if isinstance(inner, torch.fx.GraphModule):
                subgraphs[node.name] = tuple(reader.inner(inner.graph.nodes))
                nodes.append(Node(node.name, Kind.SUBGRAPH, "subgraph", target=str(node.target)))
            else:
                nodes.append(reader.leaf(node, Kind.CONSTANT, str(node.target)))
        elif node.op == "call_function":
            nodes.append(reader.call(node))
    signature = program.graph_signature
    return Graph(
        name=name,
        nodes=tuple(nodes),
        inputs=tuple(str(i) for i in signature.user_inputs if isinstance(i, str) and i in specs),
        outputs=tuple(o for o in signature.user_outputs if isinstance(o, str)),
        program=program,
        symbols=dict(symbols or {}),
        subgraphs=subgraphs,
        training=training,
    )


def op_name(target: Any) -> str:
    """Return the short name of an op: `linear`, `add.Tensor`, or `getitem`."""
    if isinstance(target, torch._ops.OpOverload):
        packet = target.overloadpacket.__name__
        namespace = "" if target.namespace == "aten" else f"{target.namespace}::"
        overload = target._overloadname
        return f"{namespace}{packet}" + (f".{overload}" if overload != "default" else "")
    if target is operator.getitem:
        return "getitem"
    return str(getattr(target, "__name__", target))


class _Reader:
    def __init__(self, origins: Origins, symbols: Mapping[str, str]) -> None:
        self._origins = origins
        self._symbols = symbols

    def leaf(self, node: FxNode, kind: Kind, target: str) -> Node:
        return Node(node.name, kind, kind.value, values=self.values(node), target=target)

    def inner(self, nodes: Iterable[FxNode]) -> Iterable[Node]:
        for node in nodes:
            if node.op == "placeholder":
                yield self.leaf(node, Kind.INPUT, "")
            elif node.op == "call_function":
                yield self.call(node)

    def call(self, node: FxNode) -> Node:
        record = self._origins.record(node)
        stack = locations(record["trace"])
        arguments, attributes = _arguments(node)
        values = self.values(node)
        op = op_name(node.target)
        base = op.partition(".")[0]
        operands = [v for source in node.all_input_nodes for v in self.values(source) if v]
        shapes = [_hinted(source) for source in node.all_input_nodes]
        results = [v for v in values if v]
        return Node(
            name=node.name,
            kind=Kind.CALL,
            op=op,
            inputs=tuple(source.name for source in node.all_input_nodes),
            values=values,
            module=record["module"],
            module_type=record["type"],
            location=innermost(stack),
            stack=stack,
            attributes=attributes,
            arguments=arguments,
            flops=cost.flops(base, [s for s in shapes if s is not None], [_hinted(node) or ()]),
            bytes=cost.moved(base, sum(v.nbytes for v in operands), sum(v.nbytes for v in results)),
            grad=bool(record["grad"]),
        )

    def values(self, node: FxNode) -> tuple[Value | None, ...]:
        value = node.meta.get("val")
        items = value if isinstance(value, (tuple, list)) else (value,)
        return tuple(self._value(item) for item in items)

    def _value(self, item: Any) -> Value | None:
        if isinstance(item, torch.Tensor):
            sizes = tuple(_hint(d) for d in item.shape)
            return Value(
                shape=tuple(self._dimension(d) for d in item.shape),
                dtype=str(item.dtype).removeprefix("torch."),
                numel=prod(sizes),
                itemsize=item.dtype.itemsize,
                device=str(item.device),
            )
        if isinstance(item, (torch.SymInt, torch.SymFloat, torch.SymBool)):
            kinds = {torch.SymInt: "int", torch.SymFloat: "float", torch.SymBool: "bool"}
            return Value((), kinds[type(item)], 1, 8)
        return None

    def _dimension(self, size: int | torch.SymInt) -> Dimension:
        known = size if isinstance(size, int) else size.node.maybe_as_int()
        if known is not None:
            return int(known)
        text = str(size)
        for symbol, name in self._symbols.items():
            text = text.replace(symbol, name)
        return text


def _hint(size: int | torch.SymInt) -> int:
    """Return the size for the example inputs; 1 if only the data determines it."""
    if isinstance(size, int):
        return size
    hint = size.node.hint if size.node.has_hint() else None
    return int(hint) if hint is not None else 1


def _hinted(node: FxNode) -> tuple[int, ...] | None:
    value = node.meta.get("val")
    if isinstance(value, (tuple, list)):
        value = next((item for item in value if isinstance(item, torch.Tensor)), None)
    return tuple(_hint(d) for d in value.shape) if isinstance(value, torch.Tensor) else None


def _arguments(node: FxNode) -> tuple[dict[str, tuple[str, ...]], dict[str, Attribute]]:
    """Return the nodes of each argument, and the plain values of the others."""
    schema = getattr(node.target, "_schema", None)
    names = [a.name for a in schema.arguments] if schema is not None else []
    bound = {names[i] if i < len(names) else f"arg{i}": a for i, a in enumerate(node.args)}
    nodes: dict[str, tuple[str, ...]] = {}
    plain: dict[str, Attribute] = {}
    for name, value in {**bound, **node.kwargs}.items():
        found: list[FxNode] = []
        torch.fx.map_arg(value, found.append)
        if found:
            nodes[name] = tuple(node.name for node in found)
        elif value is not None:
            plain[name] = _attribute(value)
    return nodes, plain


def _attribute(value: Any) -> Attribute:
    if value is None or isinstance(value, (bool, int, float, complex, str)):
        return value
    if isinstance(value, (tuple, list)):
        return tuple(_attribute(item) for item in value)
    return str(value).removeprefix("torch.")
