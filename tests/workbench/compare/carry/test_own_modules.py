"""A module next to the notebook that uses torch has a converted twin."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
import torch

if TYPE_CHECKING:
    from pathlib import Path

    from tests.workbench.compare.conftest import Notebook

PARTS = """\
import torch


def grow(x):
    return torch.mul(x, 2.0) + shift()


def shift():
    return 1
"""
HEAD = """\
import torch.nn as nn

from parts_of_head import grow


class Head(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, 2)

    def forward(self, x):
        return grow(self.fc(x))
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "parts_of_head.py").write_text(PARTS)
    (tmp_path / "head_beside.py").write_text(HEAD)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("parts_of_head", "head_beside"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


def test_what_it_defines_is_converted_with_what_it_imports(
    notebook: Notebook, folder: Path
) -> None:
    result = notebook.convert(
        "import torch\nfrom head_beside import Head\nhead = Head(3)\ny = head(torch.ones(2, 3))\n"
    )
    assert result.same, str(result)
    assert torch.allclose(notebook.mirrored("y"), notebook.names["y"])
    assert notebook.names["Head"].__mro__[1] is torch.nn.Module


def test_a_module_that_is_edited_and_reloaded_is_read_again(
    notebook: Notebook, folder: Path
) -> None:
    first = notebook.convert(
        "import torch\nimport parts_of_head as parts\ny = parts.grow(torch.ones(2))"
    )
    assert first.same, str(first)
    (folder / "parts_of_head.py").write_text(PARTS.replace("return 1", "return 10"))
    notebook.plain("import importlib\nimportlib.invalidate_caches()\nimportlib.reload(parts)\n")
    second = notebook.convert("y = parts.grow(torch.ones(2))")
    assert second.same, str(second)
    assert notebook.mirrored("y").tolist() == [12.0, 12.0]


NORMS = """\
import torch
from torch import nn

head = nn.Linear(3, 2)
table = torch.arange(3.0)


class Normed(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.norm = nn.BatchNorm1d(3)

    def forward(self, x):
        return self.norm(self.fc(x))


def count(model):
    return sum(p.numel() for p in model.parameters())
"""


@pytest.fixture
def norms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "norms_beside.py").write_text(NORMS)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "norms_beside", raising=False)


@pytest.mark.usefixtures("norms")
def test_an_imported_function_is_the_converted_one(notebook: Notebook) -> None:
    notebook.convert("import torch\nfrom norms_beside import Normed, count")
    result = notebook.convert("net = Normed()\nprint(count(net))")
    assert result.same, str(result)


@pytest.mark.usefixtures("norms")
def test_imported_objects_have_twins(notebook: Notebook) -> None:
    first = notebook.convert("import torch\nfrom norms_beside import head, table")
    assert first.same, str(first)
    second = notebook.convert("y = head(table)")
    assert second.same, str(second)
    assert torch.allclose(notebook.mirrored("y"), notebook.names["y"])


@pytest.mark.usefixtures("norms")
def test_cells_decide_with_it_which_layers_are_used(notebook: Notebook) -> None:
    notebook.convert("import torch\nfrom torch import nn\nfrom norms_beside import Normed")
    notebook.convert("net = Normed()\nx = torch.ones(4, 3)")
    result = notebook.convert(
        "def freeze(m):\n"
        "    if isinstance(m, nn.modules.batchnorm._BatchNorm):\n"
        "        m.eval()\n"
        "net.train().apply(freeze)\n"
        "modes = [m.training for m in net.modules()]\n"
        "y = net(x)\n"
    )
    assert notebook.names["modes"] == [True, True, False]
    assert result.same, str(result)
