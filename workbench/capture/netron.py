"""Netron's own JSON format (`.netron`), for both sides of a conversion.

The format is marked experimental, so a test checks it against the reader of the installed Netron.
The signature has to be the first key, node names have to be unique, and values are referred to by
index.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.capture.graph import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from workbench.capture.graph import Graph, Node, Value

_CATEGORIES = {
    "Layer": "linear conv mm bmm addmm baddbmm matmul lstm gru rnn embedding",
    "Activation": "relu gelu silu sigmoid tanh softmax _softmax log_softmax hardswish hardtanh elu "
    "leaky_relu mish softplus hardsigmoid glu relu6 selu prelu celu logsigmoid",
    "Pool": "max_pool avg_pool adaptive_avg_pool adaptive_max_pool upsample",
    "Normalization": "batch_norm _native_batch_norm layer_norm group_norm instance_norm rms_norm "
    "native_layer_norm native_group_norm native_batch_norm",
    "Attention": "scaled_dot_product",
    "Dropout": "dropout native_dropout",
    "Shape": "view reshape permute transpose expand squeeze unsqueeze flatten sym_size alias",
    "Tensor": "cat stack split chunk slice select gather index getitem unbind pad repeat scatter",
    "Quantization": "quantize dequantize fake_quantize",
    "Control": "cond while_loop map scan",
    "Data": "arange full zeros ones rand empty scalar_tensor",
    "Transform": "_to_copy clone detach",
}
_PREFIXES = sorted(
    ((prefix, category) for category, names in _CATEGORIES.items() for prefix in names.split()),
    key=lambda pair: -len(pair[0]),
)


def category(op: str) -> str:
    """Return Netron's category (its colour) of an ATen name such as `conv2d`, or ""."""
    return next((kind for prefix, kind in _PREFIXES if op.startswith(prefix)), "")


@dataclass
class Builder:
    """Builder of a document; values are reused by name."""

    values: list[dict[str, object]] = field(default_factory=list)
    nodes: list[dict[str, object]] = field(default_factory=list)
    _index: dict[str, int] = field(default_factory=dict)

    def value(self, name: str, kind: Value | None = None, *, label: str = "") -> int:
        """Return the index of the value with a name, and create it if new; `label` makes it a
        weight.
        """
        if name in self._index:
            return self._index[name]
        entry: dict[str, object] = {"name": label or name}
        if kind is not None:
            shape = {"dimensions": list(kind.shape)}
            entry["type"] = {"dataType": kind.dtype, "shape": shape}
            if label:
                entry["initializer"] = {"type": entry.pop("type")}
        self._index[name] = len(self.values)
        self.values.append(entry)
        return self._index[name]

    def node(
        self,
        name: str,
        kind: str,
        inputs: Mapping[str, Iterable[str]],
        outputs: Iterable[int],
        attributes: Mapping[str, object],
        *,
        colour: str = "",
    ) -> None:
        """Add a node; `inputs` are the names of values by argument."""
        self.nodes.append(
            {
                "name": name,
                "type": {"name": kind, "category": colour},
                "inputs": [
                    {"name": argument, "value": [self.value(name) for name in values]}
                    for argument, values in inputs.items()
                ],
                "outputs": [{"name": "output", "value": list(outputs)}],
                "attributes": [
                    {"name": key, "value": _plain(value)} for key, value in attributes.items()
                ],
            }
        )

    def document(
        self, name: str, producer: str, inputs: Iterable[str], outputs: Iterable[str]
    ) -> dict[str, object]:
        """Return the whole document, its signature first."""
        graph = {
            "name": name,
            "inputs": [{"name": i, "value": [self.value(i)]} for i in inputs],
            "outputs": [{"name": o, "value": [self.value(o)]} for o in outputs],
            "values": self.values,
            "nodes": self.nodes,
        }
        return {
            "signature": "netron:torchferry",
            "format": "Torchferry",
            "producer": producer,
            "graphs": [graph],
        }


def graph_document(
    graph: Graph, *, correspondence: Mapping[str, str] | None = None
) -> dict[str, object]:
    """Return a captured graph in Netron's own JSON format.

    `correspondence` maps a node to the id that pairs it with its counterpart on the other side; a
    node without an entry pairs with the node of the same name.
    """
    correspondence = correspondence or {}
    builder = Builder()
    for node in graph.nodes:
        if node.kind is Kind.CALL:
            if node.op == "getitem" and graph.node(node.inputs[0]).kind is Kind.CALL:
                continue
            outputs = [
                builder.value(n.name, n.values[0] if n.values else None)
                for n in _results(graph, node)
            ]
            # Netron shows the text after the last dot: for `mean.dim` that would be the overload.
            kind = node.op.partition(".")[0]
            builder.node(
                node.name,
                kind,
                node.arguments,
                outputs,
                _attributes(node, correspondence),
                colour=category(kind),
            )
        else:
            builder.value(node.name, node.values[0] if node.values else None, label=node.target)
    return builder.document(graph.name, "torch.export", graph.inputs, graph.outputs)


def encode(content: Mapping[str, object]) -> bytes:
    """Return a document as the bytes of a file; insertion order keeps the signature first."""
    return json.dumps(content, ensure_ascii=False, allow_nan=False).encode()


def _results(graph: Graph, node: Node) -> list[Node]:
    """Return the nodes of a node's outputs: itself, or the nodes that unpack its tuple."""
    return [user for user in graph.users(node.name) if user.op == "getitem"] or [node]


def _attributes(node: Node, correspondence: Mapping[str, str]) -> dict[str, object]:
    facts: dict[str, object] = dict(node.attributes)
    if "." in node.op:
        facts["op"] = node.op
    if node.module:
        facts["module"] = f"{node.module} ({node.module_type.rpartition('.')[2]})"
    if node.location:
        facts["source"] = str(node.location)
        facts["code"] = node.location.code
    if node.flops:
        facts["flops"] = node.flops
    if node.bytes:
        facts["bytes"] = node.bytes
    facts["pair"] = correspondence.get(node.name, node.name)
    return facts


def _plain(value: object) -> object:
    """Return a value for Netron: numbers, strings and flat lists are kept, others become text."""
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else str(value)
    if isinstance(value, (int, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return str(value)
