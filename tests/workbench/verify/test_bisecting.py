"""`torchferry verify --bisect`: the commit that broke a port; the checkout stays as it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.command import torchferry
from tests.workbench.ports.project import git, made
from workbench.errors import TorchferryError
from workbench.verify.bisecting import CERTIFIED, DIFFERS, NOT_RUN, Broken, Tried, broken_by

ORIGINAL = (
    "from torch import nn\n\n\ndef Net():\n    return nn.Sequential(nn.Linear(3, 2), nn.ReLU())\n"
)
PORT = (
    "from paddle import nn\n\n\ndef Net():\n    return nn.Sequential(nn.Linear(3, 2), nn.ReLU())\n"
)


def certificate() -> str:
    held = {
        "certified": True,
        "asked": {},
        "checks": [{"name": "forward", "outcome": "agrees"}],
        "sides": {
            "original": {"place": "a.py:Net", "sha256": "0"},
            "port": {"place": "lib/b.py:Net", "sha256": "1"},
        },
        "versions": {},
        "target": "paddle",
    }
    return json.dumps(held)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return made(
        tmp_path / "work",
        {"a.py": "x = 0\n", "lib/b.py": "state = 0\n", "net.json": certificate()},
    )


def commit(folder: Path, text: str, subject: str, name: str = "lib/b.py") -> str:
    (folder / name).write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", subject)
    return git(folder, "rev-parse", "HEAD")


def check(held: Mapping[str, Any], folder: Path) -> Tried:
    """Read the outcome from the port's text."""
    file, name = held["sides"]["port"]["place"].rsplit(":", 1)
    assert name == "Net" and Path(file).is_relative_to(folder) and (folder / "net.json").exists()
    text = Path(file).read_text()
    outcomes = {"bad": DIFFERS, "raise": NOT_RUN}
    return Tried(outcomes.get(text.split()[0], CERTIFIED), text.strip())


def found(folder: Path) -> tuple[Broken, list[str]]:
    lines: list[str] = []
    result = broken_by(folder / "net.json", check, lines.append, here=folder)
    return result, lines


def test_the_commit_is_found_in_few_runs(project: Path) -> None:
    for number in range(7):
        commit(project, f"state = {number + 1}\n", f"change {number}")
    broke = commit(project, "bad 0\n", "faster pooling")
    for number in range(8):
        commit(project, f"bad {number + 1}\n", f"more {number}")
        commit(project, f"{number}\n", "words", "notes.md")  # changes no program
    (project / "lib/b.py").write_text("an edit that git does not have\n")
    status, branches = git(project, "status", "--porcelain"), git(project, "branch", "-a")
    result, lines = found(project)
    assert [one.name for one in result.commits] == [broke]
    assert str(result.commits[0]).endswith("faster pooling") and result.found.verdict == "bad 0"
    assert len(lines) <= 6
    assert git(project, "status", "--porcelain") == status
    assert (
        git(project, "branch", "-a") == branches and len(list(project.glob(".git/worktrees"))) == 0
    )


def test_commits_that_cannot_be_run_are_left_out(project: Path) -> None:
    commit(project, "state = 1\n", "one")
    halves = [commit(project, f"raise {number}\n", f"half {number}") for number in range(2)]
    last = commit(project, "bad\n", "whole")
    result, _ = found(project)
    assert [one.name for one in result.commits] == [*halves, last]


def test_a_port_that_is_certified_or_differed_all_along(project: Path) -> None:
    commit(project, "state = 1\n", "one")
    assert found(project)[0].found.outcome == CERTIFIED
    git(project, "commit", "-q", "--amend", "-m", "x")
    commit(project, "bad\n", "two")
    commit(project, certificate() + "\n", "certificate", "net.json")
    result, _ = found(project)
    assert result.commits == () and result.found.outcome == DIFFERS


def test_what_cannot_be_searched_is_one_message(project: Path) -> None:
    commit(project, "raise\n", "broken")
    with pytest.raises(TorchferryError, match="cannot be run now: raise"):
        found(project)
    held = json.loads(certificate()) | {"certified": False}
    git(project, "rm", "-q", "net.json")
    git(project, "commit", "-q", "-m", "gone")
    commit(project, json.dumps(held), "another", "other.json")
    with pytest.raises(TorchferryError, match="no commit has this certificate with a certified"):
        broken_by(project / "other.json", check, print, here=project)


def test_a_port_of_paddle_is_searched(tmp_path: Path) -> None:
    folder = made(tmp_path / "work", {"a.py": ORIGINAL, "lib/b.py": PORT})
    made_it = torchferry(
        "verify", "a.py:Net", "lib/b.py:Net", "-i", "4x3", "--json", "net.json", cwd=folder
    )
    assert made_it.returncode == 0, made_it.stdout + made_it.stderr
    commit(folder, PORT + "\n", "certificate and words")
    broke = commit(folder, PORT.replace("ReLU", "GELU"), "smooth")
    commit(folder, PORT.replace("ReLU", "GELU") + "\n", "words")
    done = torchferry("verify", "--bisect", "net.json", cwd=folder)
    assert done.returncode == 1, done.stderr
    assert f"Broken by {broke[:9]} " in done.stdout and "smooth" in done.stdout
    assert "    the port has changed: lib/b.py:Net" in done.stdout
    assert "torchferry-" not in done.stdout  # the temporary folders are gone
    assert "certified: certified" not in done.stdout
    both = torchferry("verify", "--bisect", "net.json", "--history", "net.json", cwd=folder)
    assert both.returncode == 2 and "give nothing else" in both.stderr
    written = torchferry("verify", "--check", "net.json", "--json", "new.json", cwd=folder)
    assert written.returncode == 2 and "writes no file" in written.stderr
