"""Where the helper functions of single files and projects go, as somebody chose."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workbench.convert.project_tree import tree, write
from workbench.convert.one_file import Order
from workbench.convert.project import convert_path
from workbench.convert.settings import settings_for
from workbench.errors import TorchferryError

RELU = "import torch\ny = torch.relu(x)\n"


def run(source: Path, output: Path, helpers: str) -> list[str]:
    order = Order("paddle", settings_for(source), helpers=helpers)
    return convert_path(source, output, order).helper_modules


def test_a_single_file_imports_its_helpers_from_a_module_beside_it(tmp_path: Path) -> None:
    source = write(tmp_path / "in", {"a.py": RELU, "b.py": RELU.replace("relu", "cat")})
    assert run(source / "a.py", tmp_path / "out" / "a.py", "module") == ["torchferry_helpers.py"]
    run(source / "b.py", tmp_path / "out" / "b.py", "module")
    made = {name: data.decode() for name, data in tree(tmp_path / "out").items()}
    assert "from torchferry_helpers import torch_relu\n" in made["a.py"]
    assert made["a.py"].endswith("y = torch_relu(x)\n")
    module = made["torchferry_helpers.py"]
    assert "def torch_relu(" in module and "def torch_cat(" in module


def test_a_module_that_is_somebody_elses_stays(tmp_path: Path) -> None:
    source = write(tmp_path / "in", {"a.py": RELU})
    other = write(tmp_path / "out", {"torchferry_helpers.py": "mine = 1\n"})
    with pytest.raises(TorchferryError, match=r"torchferry_helpers\.py: exists already"):
        run(source / "a.py", other / "a.py", "module")
    assert tree(other) == {"torchferry_helpers.py": b"mine = 1\n"}


def test_a_project_may_have_its_helpers_in_each_file(tmp_path: Path) -> None:
    source = write(tmp_path / "in", {"a.py": RELU})
    assert run(source, tmp_path / "out", "inline") == []
    assert "def torch_relu(" in tree(tmp_path / "out")["a.py"].decode()


def test_the_settings_may_say_so(tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": '[tool.torchferry]\nhelpers = "module"\n'})
    assert settings_for(tmp_path).helpers == "module"
    write(tmp_path, {"pyproject.toml": '[tool.torchferry]\nhelpers = "nowhere"\n'})
    with pytest.raises(TorchferryError, match='helpers: write "module" or "inline"'):
        settings_for(tmp_path)
