"""The server: its tools, its instructions for clients, and serving on standard streams."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import wraps
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

from mcp_server import porting, reading, running
from workbench.errors import TorchferryError
from workbench.version import __version__

_ABOUT = """\
Torchferry converts PyTorch code to PaddlePaddle and proves that it computes the same. To port a
file: check it, convert it, fix what is left, then verify the port against its original until it is
certified. To port a project: plan it, edit the plan, then port it step by step; sync follows its
original later. Only trace, compare, verify, port, sync and weights with a certificate of an earlier
version run code. Each `place` is file:line:column."""
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
_RUNS = ToolAnnotations(read_only_hint=False, open_world_hint=True)
_TOOLS: tuple[tuple[Callable[..., Any], ToolAnnotations], ...] = (
    (reading.check, _READS),
    (reading.convert, _WRITES),
    (reading.look_up, _READS),
    (reading.explain, _READS),
    (reading.explain_line, _READS),
    (running.trace, _RUNS),
    (running.compare, _RUNS),
    (running.verify, _RUNS),
    (porting.plan, _WRITES),
    (porting.port, _RUNS),
    (porting.sync, _RUNS),
    (porting.report_port, _WRITES),
    (porting.unwrap, _WRITES),
    (porting.weights, _RUNS),
)


def server(folders: tuple[Path, ...] = ()) -> MCPServer[tuple[Path, ...]]:
    """Return the server; it reads below `folders`, or the client's roots if there are none."""

    @asynccontextmanager
    async def given(_: object) -> AsyncIterator[tuple[Path, ...]]:
        yield folders

    made = MCPServer(
        "torchferry", version=__version__, instructions=_ABOUT, lifespan=given, log_level="WARNING"
    )
    for tool, hints in _TOOLS:
        made.add_tool(_telling(tool), annotations=hints)
    return made


def _telling(tool: Callable[..., Any]) -> Callable[..., dict[str, Any]]:
    """Return the tool with errors that are meant for the user reported to the agent."""

    @wraps(tool)
    def call(*args: Any, **named: Any) -> dict[str, Any]:
        try:
            found: dict[str, Any] = tool(*args, **named)
        except TorchferryError as error:
            raise ToolError(error.line) from error
        return found

    return call


def main(folders: tuple[Path, ...]) -> None:
    """Serve on standard input and output, until the client goes."""
    server(folders).run()
