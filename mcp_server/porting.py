"""Tools that port a whole project: its plan, the steps that carry it out, and what belongs to it.

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
    return {"plan": "torchferry-plan.md", **_command(place, "plan", ".", "--target", target)}


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
    return _command(_project(folder, roots), "port", ".", *asked)


def sync(
    folder: str, roots: Given, original: str = "", go_on: bool = False, abort: bool = False
) -> dict[str, Any]:
    """RUNS the project. Merge changes of the original in torch into its edited port, and verify.

    `original` is a revision of git, or a folder with a newer release. Edits of the port are kept.
    If it stops at a conflict or a difference, edit the file that it names, then call it with
    `go_on`; `abort` restores the port.
    """
    place = _project(folder, roots)
    if original.startswith("-"):
        raise TorchferryError(f"{original}: give a revision of git, or a folder")
    if original and (Path(original).is_absolute() or (place / original).is_dir()):
        original = str(roots.existing(original))
    asked = [original] if original else []
    asked += ["--continue"] if go_on else []
    asked += ["--abort"] if abort else []
    return _command(place, "sync", *asked)


def report_port(folder: str, roots: Given, output: str = "") -> dict[str, Any]:
    """Show the evidence of a port as one page: figures, differences that remain, pairs of weights.

    Runs nothing of the project. With `output`, a name that ends in .md or .html, the page is
    written there. Exit code 1: a step is open, or something differs or is left.
    """
    place = _project(folder, roots)
    aim = ["-o", str(_free(output, roots))] if output else []
    return roots.near(_command(place, "report", "port", ".", *aim))


def unwrap(path: str, output: str, roots: Given) -> dict[str, Any]:
    """Rewrite training loops of Lightning, accelerate or transformers as plain torch.

    Runs nothing. `path` is a file or a folder, `output` what is written. If a part is refused,
    nothing is written: change the line that is named, and call it again. Then convert `output`.
    """
    source, aim = roots.existing(path), _free(output, roots)
    return roots.near(_command(source.parent, "unwrap", str(source), "-o", str(aim)))


def weights(
    source: str, output: str, roots: Given, certificate: str = "", target: str = DEFAULT
) -> dict[str, Any]:
    """Convert a checkpoint of torch for the target, or back; say what went where.

    `certificate` is the JSON that `torchferry verify --json` or `port` wrote: its pairs convert
    checkpoints of a port that renames, fuses or stacks tensors. One of an earlier version RUNS both
    models that it names. `output` ends in .pdparams, .safetensors or .pt.
    """
    given, aim = roots.existing(source), _free(output, roots)
    asked = ["--map", str(roots.existing(certificate))] if certificate else []
    asked += ["--target", target]
    return roots.near(_command(given.parent, "weights", str(given), "-o", str(aim), *asked))


def _free(output: str, roots: Roots) -> Path:
    aim = roots.path(output)
    if aim.is_file():
        raise TorchferryError(f"{output}: this file exists; give another path")
    return aim


def _project(folder: str, roots: Roots) -> Path:
    place = roots.existing(folder)
    if not place.is_dir():
        raise TorchferryError(f"{folder}: give the folder of a project")
    return place


def _command(place: Path, *arguments: str) -> dict[str, Any]:
    """Run a command in a folder, and return its exit code and what it prints."""
    asked: Sequence[str] = [sys.executable, "-m", "torchferry", *arguments]
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
            f"torchferry {arguments[0]} ran for {_PATIENCE:.0f} seconds; call it with fewer steps"
        ) from error
    lines = done.stdout.splitlines()
    return {
        "exit_code": done.returncode,
        "output": "\n".join(lines[-_MOST:]),
        "left_off": max(0, len(lines) - _MOST),
    }
