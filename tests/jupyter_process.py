"""Starts a real Jupyter server, or a gateway to kernels, as a child and waits until it answers."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, Queue

START_SECONDS = 120


@contextmanager
def jupyter(
    module: str, arguments: Sequence[str], *, token: str, folders: Mapping[str, Path]
) -> Iterator[str]:
    """Run `python -m module` until the block ends; gives its address.

    `folders` are environment variables that name the folders where it keeps things.
    """
    command = [
        *(sys.executable, "-m", module, "--no-browser", "--allow-root", "--port=0"),
        *("--ServerApp.ip=127.0.0.1", f"--IdentityProvider.token={token}"),
        *arguments,
    ]
    named = r"(http://127\.0\.0\.1:\d+\S*?)/(?:lab)?\?token"
    with _running(command, folders, named, f"/api/status?token={token}") as url:
        yield url


@contextmanager
def kernel_gateway(*, token: str, folders: Mapping[str, Path]) -> Iterator[str]:
    """Run a gateway, which starts kernels for Jupyter servers elsewhere; gives its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        *(sys.executable, "-m", "kernel_gateway", "--ip=127.0.0.1", f"--port={port}"),
        f"--KernelGatewayApp.auth_token={token}",
        "--JupyterWebsocketPersonality.list_kernels=True",
    ]
    named = r"is available at (http://127\.0\.0\.1:\d+)"
    with _running(command, folders, named, f"/api/kernelspecs?token={token}") as url:
        yield url


@contextmanager
def _running(
    command: Sequence[str], folders: Mapping[str, Path], named: str, asked: str
) -> Iterator[str]:
    """Yield the address of a server that runs until the block ends.

    `named` finds the address in what it says, `asked` is answered there once it listens.
    """
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    process = subprocess.Popen(
        command,
        env={**os.environ, **{name: str(path) for name, path in folders.items()}},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        yield _address(process, named, asked)
    finally:
        # The whole group: kernels are the server's children.
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _address(process: subprocess.Popen[str], named: str, asked: str) -> str:
    """Return the address that the server names, once something answers there."""
    lines: Queue[str | None] = Queue()

    def read() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    # Read to the end: a full pipe would stop the server.
    threading.Thread(target=read, daemon=True).start()
    deadline = time.monotonic() + START_SECONDS
    printed: list[str] = []
    while True:
        try:
            line = lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except Empty:
            line = None
        if line is None:
            raise RuntimeError("Jupyter did not start:\n" + "".join(printed[-40:]))
        printed.append(line)
        found = re.search(named, line)
        if found:
            return _answering(found.group(1), asked, deadline)


def _answering(url: str, asked: str, deadline: float) -> str:
    """Return the same address when it answers: Jupyter names it shortly before it listens there."""
    while True:
        try:
            with urllib.request.urlopen(f"{url}{asked}", timeout=10):
                return url
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
