"""The server needs neither torch nor a target, and ends as the protocol wants it."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

from lsp_session import Session, span

import workbench

if TYPE_CHECKING:
    from pathlib import Path

URI = "file:///w/a.py"
TEXT = "import torch\n\nx = torch.relu(torch.zeros(2, 3))\n"


def test_no_framework_is_imported(unstarted: Session, tmp_path: Path) -> None:
    seen = tmp_path / "modules"
    unstarted.start(
        "-c",
        "import atexit, pathlib, sys\n"
        f"atexit.register(lambda: pathlib.Path({str(seen)!r}).write_text(' '.join(sys.modules)))\n"
        "from lsp_server.server import main\nmain()",
    )
    unstarted.initialize()
    unstarted.open(URI, TEXT)
    [first, *_] = unstarted.diagnostics(URI)
    assert unstarted.hover(URI, first.range.start.line, first.range.start.character)
    for action in unstarted.actions(URI, span(0, 0, 3, 0)):
        assert unstarted.resolve(action).edit
    assert unstarted.close() == 0
    modules = set(seen.read_text().split())
    assert {"workbench", "lsp_server.requests"} <= modules
    assert not modules & {"torch", "paddle", "numpy", "jax"}


def test_modules_that_write_code_load_with_the_first_fix() -> None:
    code = f"""
import sys
import lsp_server.session, workbench
workbench.check({TEXT!r}, target=workbench.targets.load("paddle"))
print(*sys.modules)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "libcst" not in run.stdout.split(), "it takes 5 MB, and a tenth of a second"


def test_the_handshake_does_not_wait_for_the_engine() -> None:
    code = "import sys, lsp_server.requests, lsp_server.connection.transport; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not [name for name in run.stdout.split() if name.startswith(("workbench", "libcst"))]


def test_it_has_the_version_of_the_whole(bare: Session) -> None:
    info = bare.initialize().server_info
    assert info is not None and info.version == workbench.__version__ == version("torchferry")


def test_exit_without_shutdown_is_an_error(session: Session) -> None:
    session.client.exit(None)
    assert session.run(session.process.wait()) == 1


def test_a_client_that_vanishes_ends_the_server(session: Session) -> None:
    assert session.process.stdin
    session.process.stdin.close()
    assert session.run(session.process.wait()) == 0


def test_the_command_takes_the_options_of_the_server(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    options = ["--stdio", "--log-level", "debug", "--log-file", str(log)]
    call = [sys.executable, "-m", "torchferry", "lsp", *options]
    done = subprocess.run(call, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "torchferry.server.preview" in log.read_text()


def test_it_says_what_it_can_do(bare: Session) -> None:
    answer = bare.initialize(["utf-8", "utf-16"])
    able = answer.capabilities
    assert able.position_encoding == "utf-8"
    assert able.text_document_sync.change == 2  # type: ignore[union-attr]
    assert able.hover_provider
    assert able.code_action_provider.resolve_provider  # type: ignore[union-attr]
    assert "source.fixAll.torchferry" in able.code_action_provider.code_action_kinds  # type: ignore
    assert answer.server_info and answer.server_info.name == "torchferry"
