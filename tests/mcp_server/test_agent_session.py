"""An agent's session, with the SDK's own client: a file is checked, converted, verified."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

pytest.importorskip("mcp")

from mcp import Client, StdioServerParameters
from mcp_types import ListRootsResult

from mcp_server import running
from mcp_server.server import server

MODEL = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(6, eps=1e-3)
        self.fc = nn.Linear(6, 4)

    def forward(self, x):
        return torch.softmax(self.fc(self.norm(x)), dim=-1)


example_inputs = (torch.randn(3, 6),)
"""
Session = Callable[[Callable[[Client], Awaitable[None]]], None]


@asynccontextmanager
async def client(folder: Path, **options: Any) -> AsyncIterator[Client]:
    async def roots(_: Any) -> ListRootsResult:
        return ListRootsResult.model_validate({"roots": [{"uri": folder.as_uri()}]})

    command = StdioServerParameters(command=sys.executable, args=["-m", "torchferry", "mcp"])
    options = {"list_roots_callback": roots, **options}
    async with Client(options.pop("server", command), **options) as session:
        yield session


async def answer(session: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await session.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content


async def problem(session: Client, tool: str, **arguments: Any) -> str:
    result = await session.call_tool(tool, arguments)
    assert result.is_error
    return str(getattr(result.content[0], "text", ""))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "agent_model.py").write_text(MODEL)
    (tmp_path / "secret.py").write_text("import torch\n")
    return tmp_path / "work"


@pytest.fixture
def inside(folder: Path) -> Session:
    """A session within this process, where nothing is run."""

    def run(work: Callable[[Client], Awaitable[None]]) -> None:
        async def session() -> None:
            async with client(folder, server=server()) as live:
                await work(live)

        anyio.run(session)

    return run


@pytest.fixture
def unwatched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models run in this process, which has imported the frameworks already."""
    paddle = pytest.importorskip("paddle")

    def here(work: Any, *args: Any, patience: float) -> Any:
        paddle.disable_static()  # which each thread has to say that did not import it
        return work(*args, lambda what: None)

    monkeypatch.setattr(running, "watched", here)


@pytest.mark.usefixtures("unwatched")
def test_an_agent_ports_a_file(folder: Path, inside: Session) -> None:
    async def work(agent: Client) -> None:
        found = await answer(agent, "check", path="agent_model.py")
        assert found["remaining"] == 0
        converted = await answer(agent, "convert", path="agent_model.py")
        (folder / "port.py").write_text(converted["code"])
        sides = {"original": "agent_model.py:Net", "port": "port.py:Net"}
        answered = await answer(agent, "verify", **sides)
        assert answered["certified"], answered
        # A careless omission is found, with its line.
        careless = converted["code"].replace(", eps=1e-3", "")
        (folder / "port.py").write_text(careless)
        answered = await answer(agent, "verify", **sides)
        assert not answered["certified"]
        line = careless.splitlines().index("        self.norm = nn.LayerNorm(6)") + 1
        assert answered["places"][0]["port"] == f"port.py:{line}"
        assert "eps is 1e-05" in answered["places"][0]["cause"]
        assert answered["places"][0]["tested"]

    inside(work)


@pytest.mark.usefixtures("unwatched")
def test_a_model_is_traced_and_compared(inside: Session) -> None:
    async def work(agent: Client) -> None:
        answered = await answer(agent, "trace", model="agent_model.py:Net", source=True)
        assert answered["verdict"] == "all 3 nodes lower to paddle"
        assert "layer_norm" in answered["source"]
        answered = await answer(agent, "compare", model="agent_model.py:Net", inputs=["2x6"])
        assert answered["equal"] and answered["differs"] == []

    inside(work)


def test_a_model_that_ends_its_process_ends_no_server(folder: Path) -> None:
    (folder / "fatal.py").write_text("import os\nos.abort()\n")

    async def session() -> None:
        async with client(folder) as agent:
            message = await problem(agent, "trace", model="fatal.py:Net")
            assert "signal 6" in message and "while running" in message
            assert (await answer(agent, "explain", code="TF200"))["severity"] == "error"

    anyio.run(session)


def test_a_client_of_an_older_protocol_is_served(folder: Path) -> None:
    async def session() -> None:
        async with client(folder, mode="legacy") as agent:
            assert (await answer(agent, "check", path="agent_model.py"))["remaining"] == 0
            assert "nn.Linear" in (await answer(agent, "convert", path="agent_model.py"))["code"]

    anyio.run(session)


def test_only_what_is_below_the_roots_is_read(folder: Path, inside: Session) -> None:
    (folder / "link.py").symlink_to(folder.parent / "secret.py")

    async def work(agent: Client) -> None:
        for path in ("../secret.py", str(folder.parent / "secret.py"), "link.py"):
            for tool in ("check", "convert"):
                assert "outside" in await problem(agent, tool, path=path)
        assert "outside" in await problem(agent, "check", path=".")
        message = await problem(agent, "convert", path="agent_model.py", output="../port.py")
        assert "outside" in message
        sides = {"original": "agent_model.py:Net", "port": "../secret.py:Net"}
        assert "outside" in await problem(agent, "verify", **sides)
        inputs = ["../weights.pt"]
        assert "outside" in await problem(agent, "trace", model="agent_model.py:Net", inputs=inputs)

    inside(work)
    assert not (folder.parent / "port.py").exists()


def test_a_client_without_roots_gets_a_hint_to_name_a_folder(folder: Path) -> None:
    async def session() -> None:
        async with client(folder, server=server(), list_roots_callback=None) as agent:
            assert "--root" in await problem(agent, "check", path="agent_model.py")
        async with client(folder, server=server((folder,)), list_roots_callback=None) as agent:
            assert (await answer(agent, "check", path="agent_model.py"))["counts"]

    anyio.run(session)


def test_both_styles_come_with_their_findings(folder: Path, inside: Session) -> None:
    async def work(agent: Client) -> None:
        plain = await answer(agent, "convert", path="agent_model.py")
        assert "nn.Linear(6, 4, weight_attr=init)" in plain["code"]
        norm, linear = plain["findings"]
        assert (norm["code"], linear["code"]) == ("TF119", "TF110")
        assert linear["place"] == "agent_model.py:9:19"
        exact = await answer(agent, "convert", path="agent_model.py", style="exact")
        assert "TorchLinear" in exact["code"]
        assert "TF110" not in exact["counts"]
        answered = await answer(
            agent, "convert", path="agent_model.py", style="exact", output="ported.py"
        )
        assert answered["output"] == "ported.py"
        assert "TorchLinear" in (folder / "ported.py").read_text()
        message = await problem(agent, "convert", path="agent_model.py", output="ported.py")
        assert "this file exists" in message

    inside(work)
    assert (folder / "agent_model.py").read_text() == MODEL


def test_names_codes_and_lines_are_explained(inside: Session) -> None:
    async def work(agent: Client) -> None:
        answered = await answer(agent, "look_up", name="torch.nn.Linear")
        assert "paddle.nn.Linear" in answered["plain"]
        assert set(answered["differs"]) == {"TF110"}
        assert "cases" in answered["proof"]
        assert "torch.nn.Linear" in await problem(agent, "look_up", name="torch.nn.Linaer")
        assert "has no equivalent" in (await answer(agent, "explain", code="tf200"))["meaning"]
        assert "did you mean TF20" in await problem(agent, "explain", code="TF20")
        answered = await answer(agent, "explain_line", path="agent_model.py", line=12)
        assert [f["name"] for f in answered["findings"]] == ["torch.softmax"]
        assert "axis=-1" in answered["findings"][0]["after"]

    inside(work)


def test_reading_runs_nothing_of_the_project(folder: Path, inside: Session) -> None:
    ran = folder / "ran"
    (folder / "agent_model.py").write_text(f"import torch\nopen({str(ran)!r}, 'w')\n")
    (folder / "own.py").write_text(f"open({str(ran)!r}, 'w')\n")
    (folder / "pyproject.toml").write_text('[tool.torchferry]\nrules = "own.py"\n')

    async def work(agent: Client) -> None:
        for tool in ("check", "convert"):
            await answer(agent, tool, path="agent_model.py")
        tools = (await agent.list_tools()).tools
        runs = {tool.name for tool in tools if (tool.description or "").startswith("RUNS")}
        assert runs == {"trace", "compare", "verify", "port", "sync"}

    inside(work)
    assert not ran.exists()
