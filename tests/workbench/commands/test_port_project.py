"""`torchferry port` of a project as a user runs it: both frameworks run what verifies a step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command import Done, torchferry
from tests.workbench.ports.project import PACKAGE, git, made
from workbench.commands import port_runs

FILES = {
    **PACKAGE,
    "shop/net.py": (
        "from torch import nn\nfrom shop.layers import Block\n\n\n"
        "class Net(nn.Module):\n    def __init__(self, width):\n        super().__init__()\n"
        "        self.block = Block(width)\n\n    def forward(self, x):\n"
        "        return self.block(x) + x\n"
    ),
    "shop/data.py": "import torch\nimport no_such_package\n\nx = torch.ones(2)\n",
    "tests/test_net.py": (
        "import torch\nfrom shop.net import Net\n\n\n"
        "def test_it():\n    net = Net(8)\n    assert net(torch.randn(2, 8)).shape == (2, 8)\n\n\n"
        "def test_fails_in_torch():\n    assert not torch.ones(2).any()\n"
    ),
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    def here(work: Any, *args: Any, patience: float) -> Any:
        return work(*args, lambda what: None)

    monkeypatch.setattr(port_runs, "watched", here)
    folder = made(tmp_path / "work", FILES)
    assert torchferry("plan", folder, "--jobs", 1).returncode == 0
    return folder


def ported(folder: Path, *arguments: object) -> Done:
    return torchferry("port", folder, "--jobs", 1, *arguments)


def test_a_project_is_ported_and_verified(project: Path) -> None:
    done = ported(project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 of 5 steps done, on torchferry/paddle" in done.stdout
    messages = git(project, "log", "--format=%B")
    assert "- Block(): certified, " in messages and "largest difference" in messages
    assert "- Net(8): certified, " in messages
    assert "tests of tests/test_net.py: certified, pass on both sides: 1 test" in messages
    assert "Not imported: the original does not run here:" in messages
    certificate = json.loads((project / "torchferry-certificates/shop.net.Net.json").read_text())
    assert certificate["certified"] and certificate["asked"]["inputs"] == ["2x8"]
    again = torchferry(
        "verify", "--check", "torchferry-certificates/shop.net.Net.json", cwd=project
    )
    assert again.returncode == 0, again.stdout + again.stderr


def test_a_port_that_computes_something_else_is_not_committed(project: Path) -> None:
    original = FILES["shop/layers.py"] + "\n\ndef odd(a):\n    return torch.lobpcg(a)\n"
    layers = project / "shop/layers.py"
    layers.write_text(original)
    git(project, "commit", "-q", "-a", "-m", "odd")
    torchferry("plan", project, "--jobs", 1)
    while "shop/layers.py: stopped: 1 use of torch left" not in ported(project).stdout:
        assert git(project, "log", "-1", "--format=%s").startswith("port:")
    head = git(project, "rev-parse", "HEAD")
    port = layers.read_text().partition("def odd")[0].rstrip() + "\n"
    assert "relu(" in port
    layers.write_text(port.replace("relu(", "silu("))
    stopped = ported(project, "--continue")
    assert stopped.returncode == 1
    assert "shop/layers.py: stopped: its port differs from the original" in stopped.stdout
    assert "Block(): " in stopped.stdout and git(project, "rev-parse", "HEAD") == head
    layers.write_text(port)
    assert ported(project, "--continue", "--steps", 1).returncode == 0
    assert git(project, "show", "HEAD:shop/layers.py") == port.strip()


def test_tests_that_cannot_run_are_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("import no_such_package\nimport torch\n")
    found = port_runs.ProcessRuns("paddle", 60.0).tests(tmp_path, tmp_path, "test_a.py")
    assert found.outcome == "not run"
    assert "No module named 'no_such_package'" in found.summary
    empty = port_runs.ProcessRuns("paddle", 60.0).tests(tmp_path, tmp_path, "none.py")
    assert empty.summary == "no test of it passes in torch here"


def test_without_a_framework_steps_are_converted_and_not_run(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(port_runs, "missing_packages", lambda target: ["paddlepaddle"])
    done = ported(project)
    assert done.returncode == 0, done.stdout + done.stderr
    messages = git(project, "log", "--format=%B")
    assert "- Block(): not run," in messages and "pip install paddlepaddle" in messages


def test_a_step_is_undone(project: Path) -> None:
    assert ported(project, "--steps", 2).returncode == 0
    undone = ported(project, "--undo", "2")
    assert undone.returncode == 0 and "shop/layers.py: undone in " in undone.stdout
    assert (project / "shop/layers.py").read_text() == FILES["shop/layers.py"]


def test_the_open_steps_are_shown_and_nothing_changes(project: Path) -> None:
    done = ported(project, "--dry-run")
    assert done.returncode == 0
    assert (
        "[2/5] shop/layers.py" in done.stdout
        and "verify Block() with guessed inputs" in done.stdout
    )
    assert "verify Net(8) with 2x8" in done.stdout
    assert git(project, "status", "--porcelain", "-uno") == ""
    assert git(project, "branch", "--show-current") == "main"


def test_a_step_that_stops_says_why_and_what_next(project: Path) -> None:
    (project / "shop/odd.py").write_text(
        "import torch\n\n\ndef f(a):\n    return torch.lobpcg(a)\n"
    )
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "odd")
    torchferry("plan", project, "--jobs", 1)
    done = ported(project)
    assert done.returncode == 1
    assert "shop/odd.py: stopped: 1 use of torch left" in done.stdout
    assert "torchferry port --continue" in done.stdout
    refused = ported(project)
    assert refused.returncode == 2 and "this step has stopped" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--force",), "--force is not for a folder: its plan decides"),
        (("--target", "paddle"), "--target is not for a folder"),
        (("--undo", "none.py"), "has no such step"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    project: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = ported(project, *arguments)
    assert done.returncode == 2 and message in done.stderr


def test_a_folder_without_a_plan_is_refused(tmp_path: Path) -> None:
    done = ported(tmp_path)
    assert done.returncode == 2 and "write a plan with torchferry plan" in done.stderr


def test_options_of_folders_are_refused_for_a_notebook(tmp_path: Path) -> None:
    notebook = tmp_path / "a.ipynb"
    notebook.write_text("{}")
    done = torchferry("port", notebook, "--dry-run")
    assert done.returncode == 2 and "--dry-run is for a folder with a plan" in done.stderr
