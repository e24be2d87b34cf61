"""Lines by which files that are still torch's use ported ones: written, corrected and removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workbench.ports.project import FILES, git, made, planned, porter
from workbench.ports.bridges import without_bridges
from workbench.ports.undoing import undo

BRANCH = "torchferry/paddle"
LINES = (
    "from torchferry.mixed import in_torch  # torchferry bridge\n"
    "Block = in_torch(Block)  # torchferry bridge\n"
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = made(tmp_path / "work", FILES)
    planned(folder)
    return folder


def run(folder: Path, steps: int | None, *, bridge: bool = False) -> None:
    stop = porter(folder).run(BRANCH, resume=False, steps=steps, workers=1, bridge=bridge)
    assert stop is None


def test_a_file_of_torch_gets_lines_after_its_import(project: Path) -> None:
    net = project / "shop/net.py"
    before = net.read_text()
    run(project, 1, bridge=True)
    head = "from torch import nn\nfrom shop.layers import Block\n"
    assert net.read_text() == before.replace(head, head + LINES)
    assert without_bridges(net.read_text()) == before
    assert git(project, "status", "--porcelain") == ""


def test_bridges_stay_in_use_and_move_on(project: Path) -> None:
    run(project, 1, bridge=True)
    run(project, 1)
    assert "torchferry" not in (project / "shop/net.py").read_text()
    assert "Net = in_torch(Net)" in (project / "tests/test_net.py").read_text()
    undo(porter(project), ["shop/net.py"])
    assert LINES in (project / "shop/net.py").read_text()
    assert (project / "tests/test_net.py").read_text() == FILES["tests/test_net.py"]
    run(project, None)
    assert git(project, "grep", "-c", "-e", "in_torch", "HEAD~4") and "in_torch" not in "".join(
        path.read_text() for path in project.rglob("*.py")
    )


def test_the_port_of_a_file_is_the_same_with_and_without_bridges(
    project: Path, tmp_path: Path
) -> None:
    other = made(tmp_path / "other" / "work", FILES)
    planned(other)
    for folder, bridge in ((project, True), (other, False)):
        run(folder, 1, bridge=bridge)
        run(folder, None)
    for name in ("shop/layers.py", "shop/net.py", "tests/test_net.py"):
        assert (project / name).read_text() == (other / name).read_text()


def test_without_bridges_a_step_changes_its_file_alone(project: Path) -> None:
    run(project, 1)
    assert (project / "shop/net.py").read_text() == FILES["shop/net.py"]


def test_imports_of_modules_and_in_functions(project: Path) -> None:
    text = (
        "import torch\nimport shop.layers as layers\n\n\ndef make():\n"
        "    from shop import layers as inner\n    return inner.Block(), torch.ones(1)"
    )
    (project / "use.py").write_text(text)
    git(project, "add", "use.py")
    git(project, "commit", "-q", "-m", "use")
    planned(project)
    run(project, 1, bridge=True)
    found = (project / "use.py").read_text()
    assert "layers = in_torch(layers)  # torchferry bridge\n" in found
    assert "\n    inner = in_torch(inner)  # torchferry bridge\n    return" in found
    assert without_bridges(found) == text
