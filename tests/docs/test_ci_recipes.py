"""The hooks, run by the real pre-commit, and the commands of the recipes for CI."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "guides" / "ci.md").read_text()
COMMANDS = re.findall(r"^ *- (?:run: )?(torchferry check .*)$", GUIDE, re.MULTILINE)

LEFT = "import torch\n\nz = torch.stack(no=x)\n"
CONVERTS = "import torch\n\nx = torch.stack([y], dim=1)\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a file that converts and one that does not, both staged."""
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", tmp_path)
    (tmp_path / "a.py").write_text(CONVERTS)
    (tmp_path / "b.py").write_text(LEFT)
    (tmp_path / "c.txt").write_text("torch\n")
    run(tmp_path, "git", "init", "-q")
    run(tmp_path, "git", "add", ".")
    return tmp_path


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    places = [str(Path(sys.executable).parent), os.environ["PATH"]]
    home = {"PRE_COMMIT_HOME": str(folder / ".git" / "pre-commit"), "HOME": str(folder)}
    return subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **home, "PATH": os.pathsep.join(places)},
    )


def hook(folder: Path, name: str, *files: str) -> subprocess.CompletedProcess[str]:
    """Run one of our hooks by pre-commit, unchanged except for its environment."""
    text = (ROOT / ".pre-commit-hooks.yaml").read_text()
    text = text.replace("language: python", "language: system").replace("\n", "\n      ")
    config = folder / ".pre-commit-config.yaml"
    config.write_text(f"repos:\n  - repo: local\n    hooks:\n      {text.rstrip()}\n")
    run(folder, "git", "add", ".")
    return run(folder, "pre-commit", "run", name, "--files", *files)


@pytest.mark.skipif(
    shutil.which("pre-commit", path=Path(sys.executable).parent) is None,
    reason="pre-commit is not installed",
)
def test_pre_commit_runs_the_hooks(repository: Path) -> None:
    checked = hook(repository, "torchferry", "a.py", "c.txt")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    failed = hook(repository, "torchferry", "a.py", "b.py")
    assert failed.returncode == 1
    assert "b.py:3:5: error TF200" in failed.stdout
    fixed = hook(repository, "torchferry-convert", "a.py")
    assert fixed.returncode == 1, fixed.stdout + fixed.stderr
    assert "files were modified by this hook" in fixed.stdout
    assert (repository / "a.py").read_text() == CONVERTS.replace("torch", "paddle")
    assert hook(repository, "torchferry-convert", "a.py").returncode == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_the_recipes_fail_where_torch_is_left(repository: Path, command: str) -> None:
    words, _, output = command.partition(" > ")
    if "--baseline" in words:
        held = run(repository, *shlex.split(words)[:5], "--write-baseline")
        assert held.returncode == 0, held.stderr
        (repository / "b.py").write_text(f"{LEFT}new = torch.stack(no=z)\n")
    done = run(repository, *shlex.split(words))
    assert done.returncode == 1, done.stderr
    assert "TF200" in done.stdout
    if output:
        assert json.loads(done.stdout)
    (repository / "b.py").write_text(CONVERTS)
    assert run(repository, *shlex.split(words)).returncode == 0


def test_the_guide_has_recipes_for_each_place() -> None:
    formats = {command.partition("--output-format ")[2].split()[0] for command in COMMANDS}
    assert formats == {"github", "gitlab", "sarif"}
