"""The Netron file, held against the reader that the installed Netron ships."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from workbench.capture import Graph, capture
from workbench.capture.netron import encode, graph_document

READER = """
import * as reader from '{module}';
import * as fs from 'node:fs';
const text = fs.readFileSync(0, 'utf-8');
let found = null;
const bytes = new TextEncoder().encode(text);
const context = {{
    stream: {{ length: bytes.length, peek: (n) => bytes.slice(0, n) }},
    peek: async () => JSON.parse(text),
    set: (type, value) => {{ context.value = value; return type; }},
}};
const factory = new reader.ModelFactory();
if (await factory.match(context) !== 'message') throw new Error('not recognised');
const opened = await factory.open(context);
const [graph] = opened.modules;
const value = (v) => [v.name, v.type ? v.type.toString() : null, v.initializer !== null];
console.log(JSON.stringify({{
    inputs: graph.inputs.map((i) => i.value.map(value)),
    outputs: graph.outputs.map((o) => o.value.map(value)),
    nodes: graph.nodes.map((n) => ({{
        name: n.name, type: n.type,
        inputs: Object.fromEntries(n.inputs.map((i) => [i.name, i.value.map(value)])),
        outputs: n.outputs.flatMap((o) => o.value.map(value)),
        attributes: Object.fromEntries(n.attributes.map((a) => [a.name, a.value])),
    }})),
}}));
"""


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.act = nn.ReLU()

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return self.act(self.conv(x)).split(1, dim=1)


@pytest.fixture(scope="module")
def graph() -> Graph:
    return capture(Net(), torch.ones(1, 1, 5, 5))


@pytest.fixture(scope="module")
def read(graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    node, netron = shutil.which("node"), find_spec("netron")
    if node is None or netron is None or netron.origin is None:
        pytest.skip("needs Node and the netron package")
    module = tmp_path_factory.mktemp("netron") / "message.mjs"
    shutil.copy(Path(netron.origin).with_name("message.js"), module)
    script = module.with_name("read.mjs")
    script.write_text(READER.format(module=module.as_uri()))
    done = subprocess.run(
        [node, str(script)], input=encode(graph_document(graph)), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def test_netron_reads_nodes_and_weights(read: dict[str, Any]) -> None:
    names = [node["name"] for node in read["nodes"]]
    assert names == ["conv2d", "relu", "split"]
    conv = read["nodes"][0]
    assert conv["type"] == {"name": "conv2d", "category": "Layer"}
    assert conv["inputs"]["weight"] == [["conv.weight", "float32[2,1,3,3]", True]]
    assert conv["outputs"] == [["conv2d", "float32[1,2,3,3]", False]]


def test_netron_reads_inputs_outputs_and_folded_tuples(read: dict[str, Any]) -> None:
    assert read["inputs"] == [[["x", "float32[1,1,5,5]", False]]]
    assert len(read["outputs"]) == 2
    assert len(read["nodes"][2]["outputs"]) == 2


def test_netron_shows_where_a_node_comes_from(read: dict[str, Any]) -> None:
    facts = read["nodes"][0]["attributes"]
    assert facts["module"] == "conv (Conv2d)"
    assert Path(__file__).name in facts["source"]
    assert facts["pair"] == "conv2d"


def test_the_signature_comes_first_and_pairs_can_be_given(graph: Graph) -> None:
    assert encode(graph_document(graph)).startswith(b'{"signature": "netron:')
    document: Any = graph_document(graph, correspondence={"relu": "left-7"})
    relu = document["graphs"][0]["nodes"][1]
    assert {"name": "pair", "value": "left-7"} in relu["attributes"]
