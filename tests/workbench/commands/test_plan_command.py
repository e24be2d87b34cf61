"""`torchferry plan` as a user runs it: the files, the order, and making the plan again."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.command import Done, torchferry

FILES = {
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["torch>=2"]\n',
    "shop/__init__.py": "from shop.a_net import Net\n",
    "shop/a_net.py": (
        "from torch import nn\nfrom shop.z_layers import Block\n\n"
        "class Net(nn.Module):\n    def __init__(self, width):\n        super().__init__()\n"
        "        self.block = Block(width)\n\n    def forward(self, x):\n"
        "        return self.block(x)\n"
    ),
    "shop/z_layers.py": (
        "import torch\nfrom torch import nn\n\n"
        "class Block(nn.Module):\n    def __init__(self, width=4):\n        super().__init__()\n"
        "        self.fc = nn.Linear(width, width)\n\n    def forward(self, x):\n"
        "        return torch.relu(self.fc(x))\n"
    ),
    "shop/odd.py": "import torch\n\ndef f(a):\n    return torch.lobpcg(a)\n",
    "shop/csrc/op.cu": "#include <torch/extension.h>\n",
    "shop/loop.py": "import pytorch_lightning as pl\nimport torch\nx = torch.hub.load('a', 'b')\n",
    "tests/test_net.py": (
        "import torch\nfrom shop import Net\n\n"
        "def test_it():\n    net = Net(8)\n    assert net(torch.randn(2, 8)).shape == (2, 8)\n"
    ),
    "README.md": "# Shop\n\nWe use torch.\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def planned(project: Path, *arguments: object) -> Done:
    return torchferry("plan", project, "--jobs", 1, *arguments)


def page(project: Path) -> str:
    return (project / "torchferry-plan.md").read_text()


def steps(project: Path) -> list[str]:
    lines = page(project).partition("## Steps")[2].splitlines()
    return [line.split("`")[1] for line in lines if line[:1].isdigit()]


def test_the_steps_follow_the_imports(project: Path) -> None:
    done = planned(project)
    assert done.returncode == 0, done.stderr
    found = steps(project)
    assert found.index("shop/z_layers.py") < found.index("shop/a_net.py")
    assert found[-2:] == ["tests/test_net.py", "pyproject.toml"]
    assert "shop/__init__.py" not in found
    assert "torchferry port" in done.stdout
    facts = json.loads((project / "torchferry-plan.json").read_text())
    assert [step["path"] for step in facts["steps"]] == found


def test_the_page_says_what_was_found(project: Path) -> None:
    planned(project)
    text = page(project)
    assert "verify: `Net(8)` with `2x8` (as in tests/test_net.py:6)" in text
    assert "verify: `Block()`" in text
    assert "**CUDA source**, `shop/csrc/op.cu`" in text
    assert "**training loop**, `shop/loop.py`: pytorch_lightning" in text
    assert "**downloads**, `shop/loop.py`" in text
    assert "| `pytorch_lightning` | 1 | torchferry unwrap first |" in text
    assert "stays: line 4:12: TF20" in text and "torch.lobpcg" in text
    assert "`shop/odd.py`: 1 use of torch without an equivalent" in text


def test_nothing_of_the_project_changes_or_runs(project: Path) -> None:
    (project / "shop/z_layers.py").write_text("raise SystemExit(3)\nimport torch\ntorch.ones(2)\n")
    before = {name: (project / name).read_bytes() for name in FILES}
    assert planned(project).returncode == 0
    assert {name: (project / name).read_bytes() for name in FILES} == before


def test_a_plan_made_again_keeps_the_decisions(project: Path) -> None:
    planned(project)
    text = page(project)
    head = next(one for one in text.splitlines() if "] `shop/odd.py`:" in one)
    text = text.replace(head, f"{head}\n   - accepted: unused\n   - ask Ann")
    net = next(one for one in text.splitlines() if "] `shop/a_net.py`:" in one)
    text = text.replace(net, "").replace("## Left out", f"## Left out\n\n{net}")
    (project / "torchferry-plan.md").write_text(f"{text}\nMine.\n")
    (project / "shop/new.py").write_text("import torch\nx = torch.ones(2)\n")
    again = planned(project)
    assert again.returncode == 0, again.stderr
    text = page(project)
    assert "shop/new.py" in steps(project) and "shop/a_net.py" not in steps(project)
    assert "   - accepted: unused\n   - ask Ann\n" in text and text.endswith("Mine.\n")
    assert "- [ ] `shop/a_net.py`" in text.partition("## Left out")[2]


def again_without(project: Path, old: str, new: str = "") -> str:
    """Change the plan, make it twice again, and return its page."""
    assert old in page(project)
    (project / "torchferry-plan.md").write_text(page(project).replace(old, new))
    for _ in range(2):
        assert planned(project).returncode == 0
    return page(project)


@pytest.mark.parametrize(
    "line",
    ["   - verify: `Net(8)` with `2x8` (as in tests/test_net.py:6)\n", "   - verify: `Block()`\n"],
)
def test_a_deleted_model_does_not_come_back(project: Path, line: str) -> None:
    planned(project)
    assert line not in again_without(project, line)
    assert "does not come back" in page(project)


def test_a_deleted_model_that_is_written_again_is_back(project: Path) -> None:
    planned(project)
    again_without(project, "   - verify: `Block()`\n")
    head = next(one for one in page(project).splitlines() if "] `shop/z_layers.py`:" in one)
    assert "`Block()`\n" in again_without(project, head, f"{head}\n   - verify: `Block()`")


def test_a_rewritten_model_stays_as_a_person_wrote_it(project: Path) -> None:
    planned(project)
    text = again_without(project, "with `2x8` (as", "with `5x8` (as")
    assert "   - verify: `Net(8)` with `5x8`\n" in text and "`2x8`" not in text


def test_another_model_of_a_person_removes_none(project: Path) -> None:
    planned(project)
    line = "   - verify: `Net(8)` with `2x8` (as in tests/test_net.py:6)\n"
    own = "   - verify: `Net(8)` with `7x8`\n"
    assert f"{own}{line}" in again_without(project, line, f"{own}{line}")


def test_a_model_that_a_person_gave_inputs_lacks_nothing(project: Path) -> None:
    planned(project)
    assert "needs: arguments or inputs of `Block()`" in page(project)
    text = again_without(project, "verify: `Block()`", "verify: `Block()` with `2x4`")
    assert "   - verify: `Block()` with `2x4`\n" in text and "needs:" not in text


def test_a_pinned_step_keeps_its_position(project: Path) -> None:
    planned(project)
    text = page(project)
    last = next(one for one in text.splitlines() if "] `pyproject.toml`:" in one)
    text = text.replace(last, "").replace("## Steps\n", f"## Steps\n\n{last}\n   - pinned\n")
    (project / "torchferry-plan.md").write_text(text)
    planned(project)
    assert steps(project)[0] == "pyproject.toml"


def test_words_that_git_does_not_have_are_not_overwritten(project: Path) -> None:
    planned(project)
    text = page(project).replace("## Questions", "Ann knows why.\n\n## Questions")
    (project / "torchferry-plan.md").write_text(text)
    refused = planned(project)
    assert refused.returncode == 2
    assert "would be lost" in refused.stderr and "commit it first, or use --force" in refused.stderr
    assert page(project) == text
    subprocess.run(["git", "init", "-q", project], check=True)
    subprocess.run(["git", "-C", project, "add", "torchferry-plan.md"], check=True)
    assert planned(project).returncode == 0
    assert "Ann knows why" not in page(project)


def test_a_plan_that_cannot_be_read_is_an_error(project: Path) -> None:
    planned(project)
    (project / "torchferry-plan.json").write_text("{}")
    done = planned(project)
    assert done.returncode == 2 and "not the facts of a plan" in done.stderr
