"""Serves the workbench on this machine, for the length of the tests."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vscode_install import Node

PATIENCE = 60

# No start page, no tips, no assistants, no updates: nothing between the test and the editor.
QUIET = {
    "chat.disableAIFeatures": True,
    "editor.cursorBlinking": "solid",
    "editor.minimap.enabled": False,
    "extensions.autoCheckUpdates": False,
    "extensions.autoUpdate": "off",
    "extensions.ignoreRecommendations": True,
    "files.autoSave": "off",
    "files.hotExit": "off",
    "git.enabled": False,
    "remote.autoForwardPorts": False,
    "security.workspace.trust.startupPrompt": "never",
    "telemetry.telemetryLevel": "off",
    "update.mode": "none",
    "window.autoDetectColorScheme": True,  # light, as the browser is
    "workbench.enableExperiments": False,
    "workbench.reduceMotion": "on",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
}


# The extensions of VS Code's own that the tests meet: each of a hundred takes time in each window.
BUILT_IN = (
    *("configuration-editing", "ipynb", "json", "markdown-basics", "markdown-language-features"),
    *("notebook-renderers", "python", "search-result", "theme-defaults", "theme-seti"),
)


class WorkbenchServer:
    """A code-server with our extension in it."""

    def __init__(
        self, node: Node, code_server: Path, folder: Path, extensions: Path | None = None
    ) -> None:
        self._parts = node, code_server, extensions or folder / "extensions"
        self._command: list[str | Path] = [node.program, code_server / "out" / "node" / "entry.js"]
        self._folder = folder
        self._port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        # These variables would change the meaning of the calls below.
        confusing = {"PORT", "PASSWORD", "HASHED_PASSWORD", "VSCODE_IPC_HOOK_CLI"}
        kept = {name: value for name, value in node.environment.items() if name not in confusing}
        self._environment = {**kept, "EXTENSIONS_GALLERY": '{"serviceUrl": ""}'}
        config = folder / "code-server.yaml"
        config.write_text(f"bind-addr: 127.0.0.1:{self._port}\nauth: none\ncert: false\n")
        self._command += ["--config", config, "--user-data-dir", folder / "data"]
        self._command += ["--extensions-dir", self._parts[2]]
        self._command += ["--builtin-extensions-dir", _built_in(code_server, folder)]

    def another(self, folder: Path) -> WorkbenchServer:
        """Return another server with the same extensions and separate settings."""
        node, code_server, extensions = self._parts
        return WorkbenchServer(node, code_server, folder, extensions)

    @property
    def log(self) -> Path:
        return self._folder / "server.log"

    def address(self, workspace: Path) -> str:
        """Return the page that shows a folder."""
        return f"http://127.0.0.1:{self._port}/?folder={workspace}"

    def configure(self, ours: dict[str, Any]) -> None:
        """Write settings; before the start, as changes to these files go unseen."""
        # Paths of programs are machine settings: in the user's file they would be passed over.
        for place, settings in (("User", QUIET), ("Machine", ours)):
            file = self._folder / "data" / place / "settings.json"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(settings, indent=2))

    def install(self, *packages: Path) -> None:
        """Install extensions, as a user does from files."""
        named = [word for package in packages for word in ("--install-extension", package)]
        subprocess.run(
            [*self._command, *named, "--force"],
            env=self._environment,
            check=True,
            capture_output=True,
            timeout=PATIENCE,
        )

    def start(self, *options: str) -> None:
        """Start, and wait until it answers."""
        self._process = subprocess.Popen(
            [
                *self._command,
                *("--auth", "none", "--bind-addr", f"127.0.0.1:{self._port}", "--disable-proxy"),
                *("--disable-telemetry", "--disable-update-check", *options),
                *("--disable-getting-started-override", "--reconnection-grace-time", "10"),
            ],
            env=self._environment,
            stdout=self.log.open("wb"),
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        end = time.monotonic() + PATIENCE
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"The workbench does not answer:\n{self.log.read_text()}")

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/healthz", timeout=5) as it:
                return bool(it.status == 200)
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)  # no event shows when a port begins to listen
            return False

    def kill(self, word: str) -> int:
        """Kill the processes among its own whose command line holds a word; how many they were."""
        assert self._process is not None
        killed = 0
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                session = int((entry / "stat").read_text().rpartition(")")[2].split()[3])
            except OSError:
                continue  # it has just ended
            if session == self._process.pid and word.encode() in words:
                os.kill(int(entry.name), signal.SIGKILL)
                killed += 1
        return killed

    def stop(self) -> None:
        """End it and everything that it has started: extension hosts, language servers."""
        if self._process is None:
            return
        for last in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self._process.pid, last)
                self._process.wait(10)
            except ProcessLookupError:
                return
            except subprocess.TimeoutExpired:
                continue


def _built_in(code_server: Path, folder: Path) -> Path:
    """Return a folder with the extensions of VS Code's own that the tests meet."""
    chosen = folder / "built-in"
    chosen.mkdir()
    for name in BUILT_IN:
        (chosen / name).symlink_to(code_server / "lib" / "vscode" / "extensions" / name)
    return chosen


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
