"""A small project in a git repository, and runs of its models that take no time."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from workbench.convert.configuration.settings import settings_for
from workbench.convert.project.file_job import Order
from workbench.ports.folder import save
from workbench.ports.plan import PLAN, Trial, Verified
from workbench.ports.repository import Repository
from workbench.ports.runs import CERTIFIED, DIFFERS
from workbench.ports.steps import Porter
from workbench.ports.survey import surveyed

FILES = {
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["torch>=2"]\n',
    "shop/__init__.py": "",
    "shop/layers.py": (
        "import torch\nfrom torch import nn\n\n\n"
        "class Block(nn.Module):\n    def __init__(self, width=4):\n        super().__init__()\n"
        "        self.width = width\n\n    def forward(self, x):\n"
        "        return torch.relu(x).median(dim=1)\n"
    ),
    "shop/net.py": (
        "from torch import nn\nfrom shop.layers import Block\n\n\n"
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.block = Block()\n\n    def forward(self, x):\n        return self.block(x)\n"
    ),
    "tests/test_net.py": (
        "import torch\nfrom shop.net import Net\n\n\n"
        "def test_it():\n    assert Net()(torch.ones(2, 4)).shape\n"
    ),
}
ODD = "import torch\n\n\ndef odd(a):\n    return torch.lobpcg(a)\n"

# The beginning of a package: its requirements, and a module with one class of layers.
PACKAGE = {
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["torch>=2"]\n',
    "shop/__init__.py": "",
    "shop/layers.py": (
        "import torch\nfrom torch import nn\n\n\n"
        "class Block(nn.Module):\n    def __init__(self, width=4):\n        super().__init__()\n"
        "        self.fc = nn.Linear(width, width)\n\n    def forward(self, x):\n"
        "        return torch.relu(self.fc(x))\n"
    ),
}


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder and return what it prints."""
    done = subprocess.run(
        ["git", "-C", folder, *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def made(folder: Path, files: dict[str, str]) -> Path:
    """Make a repository with these files committed."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git(folder, "init", "-q", "-b", "main")
    for key, value in (("user.name", "Ann"), ("user.email", "ann@example.org")):
        git(folder, "config", key, value)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "original")
    return folder


@dataclass
class FakeRuns:
    """Runs that agree, unless a call is listed; each is noted with the port's text."""

    differ: set[str] = field(default_factory=set)
    seen: list[tuple[str, str]] = field(default_factory=list)
    before: Callable[[], None] = lambda: None

    def model(self, original: Path, ported: Path, trial: Trial, certificate: Path) -> Verified:
        """Write a certificate and return whether the model is listed."""
        assert "torch" in original.read_text()
        self.before()
        self.seen.append((trial.call, ported.read_text()))
        good = trial.call not in self.differ
        figure = {"name": "out", "same": good, "difference": 2e-7, "limit": 1e-6, "reason": ""}
        data = {
            "certified": good,
            "asked": {"inputs": list(trial.inputs)},
            "checks": [{"name": "forward", "outcome": "agrees", "figures": [figure]}],
            "places": [] if good else [{"port": f"{ported}:3", "original": f"{original}:2"}],
            "sides": {
                "original": {"place": f"{original}:{trial.call}", "sha256": "1"},
                "port": {"place": f"{ported}:{trial.call}", "sha256": "2"},
            },
        }
        certificate.write_text(json.dumps(data))
        return Verified(
            trial.call, CERTIFIED if good else DIFFERS, "" if good else f"{ported}:3: off by 3"
        )

    def tests(self, original: Path, ported: Path, path: str) -> Verified:
        """Return that the tests pass, unless their file is listed."""
        self.seen.append((path, (ported / path).read_text()))
        return Verified(f"tests of {path}", DIFFERS if path in self.differ else CERTIFIED, "1 test")

    def imports(self, original: Path, ported: Path) -> Verified:
        """Return that the file is imported, unless it is listed."""
        self.seen.append((f"import {ported.name}", ported.read_text()))
        bad = f"import {ported.name}" in self.differ
        return Verified("", DIFFERS if bad else CERTIFIED, "NameError" if bad else "")


def order_of(folder: Path) -> Order:
    """Return the order of a project."""
    settings = settings_for(folder)
    return Order(settings.target, settings, helpers=settings.helpers)


def planned(folder: Path) -> None:
    """Write a folder's plan."""
    save(folder, surveyed(folder, order_of(folder), 1))


def porter(folder: Path, runs: FakeRuns | None = None) -> Porter:
    """Return what carries out a folder's plan."""
    return Porter(
        folder, Repository(folder), order_of(folder), runs or FakeRuns(), lambda line: None
    )


def edit(folder: Path, old: str, new: str) -> None:
    """Edit the plan's page as a person does."""
    page = folder / PLAN
    text = page.read_text()
    assert old in text
    page.write_text(text.replace(old, new, 1))


def head_of(folder: Path, path: str) -> str:
    """Return the line of the plan's page that a step begins with."""
    lines = (folder / PLAN).read_text().splitlines()
    return next(line for line in lines if f"] `{path}`" in line)
