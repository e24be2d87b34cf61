"""A project of which some modules are ported: it runs, and computes what it did before."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import torchferry
from tests.workbench.ports.project import git, made

FILES = {
    "shop/__init__.py": "from .layers import Block\n",
    "shop/layers.py": (
        "import torch\nfrom torch import nn\n\n\n"
        "class Block(nn.Module):\n    def __init__(self, width=4):\n        super().__init__()\n"
        "        self.fc = nn.Linear(width, width)\n        self.norm = nn.BatchNorm1d(width)\n\n"
        "    def forward(self, x):\n        return torch.relu(self.norm(self.fc(x)))\n\n\n"
        "def scaled(x, by):\n    return torch.tanh(x) * by\n"
    ),
    "shop/model.py": (
        "from torch import nn\n\nfrom shop import Block\n"
        "from .layers import (\n    scaled as times,\n)\n\n\n"
        "class Net(nn.Module):\n    def __init__(self, width):\n        super().__init__()\n"
        "        self.blocks = nn.ModuleList([Block(width) for _ in range(2)])\n"
        "        self.head = nn.Linear(width, 1)\n\n    def forward(self, x):\n"
        "        for block in self.blocks:\n            x = times(block(x), 0.5) + x\n"
        "        return self.head(x)\n"
    ),
    "train.py": (
        "import torch\nfrom torch import nn\n\nimport shop.model as model\n\n\n"
        "def main():\n    net = model.Net(4)\n    with torch.no_grad():\n"
        "        for number, parameter in enumerate(net.parameters()):\n"
        "            steps = torch.arange(parameter.numel(), dtype=torch.float32)\n"
        "            parameter.copy_(torch.sin(steps + number).reshape(parameter.shape))\n"
        "    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)\n"
        "    x = torch.cos(torch.arange(24, dtype=torch.float32)).reshape(6, 4)\n"
        "    for _ in range(4):\n        loss = nn.functional.mse_loss(net(x), x[:, :1])\n"
        "        optimizer.zero_grad()\n        loss.backward()\n        optimizer.step()\n"
        "        print(loss.item())\n\n\n"
        'if __name__ == "__main__":\n    main()\n'
    ),
}
MARK = "# torchferry bridge"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = made(tmp_path / "work", FILES)
    assert torchferry("plan", folder, "--jobs", 1).returncode == 0
    page = folder / "torchferry-plan.md"
    kept = [line for line in page.read_text().splitlines() if "- verify:" not in line]
    page.write_text("\n".join(kept) + "\n")
    return folder


def losses(folder: Path) -> list[float]:
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "train.py"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [float(line) for line in done.stdout.split()]


def port(folder: Path, *arguments: object) -> str:
    done = torchferry("port", folder, "--jobs", 1, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def marked(folder: Path) -> list[str]:
    found = [one for one in folder.rglob("*.py") if MARK in one.read_text()]
    return sorted(one.relative_to(folder).as_posix() for one in found)


def test_a_project_runs_while_it_is_ported(project: Path) -> None:
    plain = losses(project)
    port(project, "--steps", 1, "--bridge")
    assert "import paddle" in (project / "shop/layers.py").read_text()
    assert marked(project) == ["shop/model.py"]
    assert (
        (project / "shop/model.py")
        .read_text()
        .startswith(
            "from torch import nn\n\nfrom shop import Block\n"
            "from torchferry.mixed import in_torch  # torchferry bridge\n"
            "Block = in_torch(Block)  # torchferry bridge\n"
            "from .layers import (\n    scaled as times,\n)\n"
            "from torchferry.mixed import in_torch  # torchferry bridge\n"
            "times = in_torch(times)  # torchferry bridge\n"
        )
    )
    assert git(project, "status", "--porcelain") == ""
    assert losses(project) == pytest.approx(plain, rel=1e-5)

    port(project)
    assert marked(project) == []
    assert losses(project) == pytest.approx(plain, rel=1e-4)
