"""Tools that port a whole project: its plan, and the steps that carry it out.

Each runs the command of the same name in a separate process, and returns what it prints.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mcp_server.roots import Given, Roots
from workbench.errors import TorchferryError
from workbench.targets import DEFAULT

_MOST = 120  # lines of one answer
_PATIENCE = 3600.0  # seconds that the steps of one call may take


def plan(folder: str, roots: Given, target: str = DEFAULT) -> dict[str, Any]:
    """Write torchferry-plan.md in a project: sizes, risks, questions, and steps to edit.

    Runs nothing of the project. Read the file, edit its order and notes, and answer its questions
    before `port`. A plan that exists is made again with its decisions. `target` is paddle or jax.
    """
    place = _project(folder, roots)
    return {"plan": "torchferry-plan.md", **_command("plan", place, "--target", target)}


def port(
    folder: str,
    roots: Given,
    steps: int = 1,
    go_on: bool = False,
    dry_run: bool = False,
    undo: str = "",
) -> dict[str, Any]:
    """RUNS the project. Carry out steps of its plan: convert, verify and commit each on a branch.

    It stops at a step that needs a person, and says why: edit that file, then call it with
    `go_on`. `dry_run` shows the open steps and changes nothing. `undo` takes a step back, by its
    number or path. Only files that git has are changed.
    """
    asked = ["--undo", undo] if undo else ["--steps", str(steps)]
    asked += ["--continue"] if go_on else []
    asked += ["--dry-run"] if dry_run else []
    return _command("port", _project(folder, roots), *asked)


def _project(folder: str, roots: Roots) -> Path:
    place = roots.existing(folder)
    if not place.is_dir():
        raise TorchferryError(f"{folder}: give the folder of a project")
    return place


def _command(name: str, place: Path, *options: str) -> dict[str, Any]:
    """Run a command on a folder, and return its exit code and what it prints."""
    asked: Sequence[str] = [sys.executable, "-m", "torchferry", name, ".", *options]
    try:
        done = subprocess.run(
            asked,
            cwd=place,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=_PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise TorchferryError(
            f"torchferry {name} ran for {_PATIENCE:.0f} seconds; call it with fewer steps"
        ) from error
    lines = done.stdout.splitlines()
    return {
        "exit_code": done.returncode,
        "output": "\n".join(lines[-_MOST:]),
        "left_off": max(0, len(lines) - _MOST),
    }
