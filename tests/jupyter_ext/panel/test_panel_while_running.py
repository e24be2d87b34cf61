"""The panel's requests to a real kernel whose cell is running."""

from __future__ import annotations

import json
from collections.abc import Iterator
from queue import Empty
from typing import Any

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import start_new_kernel

CELL = """%%convert
import time
for step in range(15):
    time.sleep(0.05)
x = torch.ones(2)
"""


@pytest.fixture
def client() -> Iterator[BlockingKernelClient]:
    """A kernel that has the panel's comm and `%%convert`, and torch imported."""
    manager, client = start_new_kernel(kernel_name="python3")
    begin = (
        "%load_ext jupyter_ext\nimport jupyter_ext.panel\njupyter_ext.panel.register()\n"
        "import torch"
    )
    client.execute_interactive(begin, timeout=120)
    client.execute_interactive("%%convert\ny = torch.ones(2)", timeout=120)
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def test_each_request_is_answered_while_a_cell_runs(client: BlockingKernelClient) -> None:
    request = client.session.msg("create_subshell_request", {})
    client.control_channel.send(request)
    subshell = client.get_control_msg(timeout=30)["content"]["subshell_id"]

    def send(kind: str, content: dict[str, Any]) -> None:
        message = client.session.msg(kind, {"comm_id": "panel", **content})
        message["header"]["subshell_id"] = subshell
        client.shell_channel.send(message)

    send("comm_open", {"target_name": "torchferry", "data": {}})
    running = client.execute(CELL)
    asked, answered = 0, set()
    while True:
        message = client.get_iopub_msg(timeout=60)
        if message["msg_type"] == "comm_msg" and message["content"]["comm_id"] == "panel":
            answered.add(message["content"]["data"]["id"])
        of_cell = message["parent_header"].get("msg_id") == running
        if of_cell and message["content"].get("execution_state") == "idle":
            break
        if asked < 300 and asked == len(answered):
            send("comm_msg", {"data": {"id": asked, "do": "hello"}})
            asked += 1
    while len(answered) < asked:
        try:
            message = client.get_iopub_msg(timeout=10)
        except Empty:
            break
        if message["msg_type"] == "comm_msg":
            answered.add(message["content"]["data"].get("id"))
    assert asked > 5
    assert answered == set(range(asked))


def test_a_comparison_of_graphs_names_its_steps(client: BlockingKernelClient) -> None:
    open_comm = client.session.msg("comm_open", {"comm_id": "panel", "target_name": "torchferry"})
    open_comm["content"]["data"] = {}
    client.shell_channel.send(open_comm)
    model = (
        "net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())\nx = torch.ones(1, 2)"
    )
    client.execute_interactive(model, timeout=120)
    request = json.dumps({"id": "a", "do": "pair", "call": "net(x)", "target": "paddle"})
    answers: list[dict[str, Any]] = []

    def note(message: dict[str, Any]) -> None:
        if message["msg_type"] == "comm_msg":
            answers.append(message["content"]["data"])

    ask = f"jupyter_ext.panel.as_cell('panel', {request!r})"
    client.execute_interactive(ask, timeout=120, output_hook=note)
    assert [one["doing"] for one in answers if "doing" in one] == [
        "Tracing …",
        "Converting 2 calls …",
        "Running both sides, node by node …",
        "Drawing both graphs …",
    ]
    assert answers[-1]["ok"]["equal"]
