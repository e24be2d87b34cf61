"""The settings in the documentation, in a real Helix on a separate terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shutil
import struct
import sys
import termios
import time
from pathlib import Path

import pyte
import pytest

SETTINGS = Path(__file__).resolve().parents[2] / "docs" / "editors" / "helix.toml"
PATIENCE = 60  # seconds
ROWS, COLUMNS = 30, 120


class Terminal:
    """A program on a terminal, and the screen that it draws."""

    def __init__(self, command: list[str], folder: Path, environment: dict[str, str]) -> None:
        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self._screen)
        self._process, self._terminal = pty.fork()
        if self._process == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        size = struct.pack("HHHH", ROWS, COLUMNS, 0, 0)
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, size)

    def type(self, keys: str) -> None:
        os.write(self._terminal, keys.encode())

    def await_text(self, wanted: str) -> None:
        """Read what the program draws until this is on the screen."""
        end = time.monotonic() + PATIENCE
        while wanted not in "\n".join(self._screen.display):
            ready, _, _ = select.select([self._terminal], [], [], max(0, end - time.monotonic()))
            assert ready, f"{wanted!r} did not come:\n" + "\n".join(self._screen.display)
            self._stream.feed(os.read(self._terminal, 65_536))

    def await_end(self) -> int:
        """Return the exit code of the program."""
        try:
            while os.read(self._terminal, 65_536):
                pass
        except OSError:
            pass  # the terminal is closed with the program
        return os.waitstatus_to_exitcode(os.waitpid(self._process, 0)[1])


@pytest.mark.skipif(
    shutil.which("hx") is None, reason="Helix is not installed (Debian 13: apt-get install hx)"
)
def test_diagnostics_and_a_fix(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("import torch\n\nname = 'é😀'; y = torch.abs(torch.zeros(2))  # kept\n")
    (tmp_path / "CONFIG" / "helix").mkdir(parents=True)
    shutil.copy(SETTINGS, tmp_path / "CONFIG" / "helix" / "languages.toml")
    program = tmp_path / "bin" / "torchferry"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m workbench.cli "$@"\n')
    program.chmod(0o755)
    places = {f"XDG_{name}_HOME": str(tmp_path / name) for name in ("CONFIG", "CACHE", "DATA")}
    environment = os.environ | places | {"TERM": "xterm-256color"}
    environment["PATH"] = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    environment["PYTHONPATH"] = str(SETTINGS.parents[2])
    editor = Terminal(["hx", "a.py"], tmp_path, environment)
    editor.await_text("●")  # the mark of a diagnostic, next to its line
    editor.type("]d")
    editor.await_text("torch.abs becomes paddle.abs")
    editor.type(" a")
    editor.await_text("Convert torch.abs to paddle.abs")
    editor.type("\r")
    editor.await_text("y = paddle.abs(")
    editor.type(":wq\r")
    assert editor.await_end() == 0
    changed = file.read_text()
    assert "name = 'é😀'; y = paddle.abs(" in changed and changed.endswith("  # kept\n")
    assert "import paddle\n" in changed
