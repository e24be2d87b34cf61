"""A notebook's port: its cells, its modules and one helper module."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.convert.project.notebook_port import EditedPortError, Port, port_notebook
from workbench.convert.project.runner import order_for
from workbench.errors import TorchferryError

_SHOWN = {"output_type": "stream", "name": "stdout", "text": ["tensor(1.)"]}


def write(path: Path, *cells: str, **metadata: Any) -> Path:
    """Return a notebook whose cells showed something; a text that begins with `#` is Markdown."""
    code = {"cell_type": "code", "execution_count": 3, "outputs": [_SHOWN]}
    made = [
        {"metadata": {"tags": ["mine"]}, "source": cell}
        | ({"cell_type": "markdown"} if cell.startswith("#") else code)
        for cell in cells
    ]
    data = {"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(data, indent=1))
    return path


def port(notebook: Path, **options: Any) -> Port:
    return port_notebook(notebook, order_for(notebook), **options)


def sources(notebook: Path) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(notebook.read_text())["cells"]]


def test_a_port_has_the_cells_and_none_of_the_outputs(tmp_path: Path) -> None:
    notebook = write(
        tmp_path / "n.ipynb", "# Title", "import torch", "x = torch.ones(2)", author="me"
    )
    before = notebook.read_bytes()
    written = port(notebook)
    assert written.notebook == tmp_path / "n_paddle.ipynb"
    assert notebook.read_bytes() == before
    data = json.loads(written.notebook.read_text())
    assert sources(written.notebook) == ["# Title", "import paddle", "x = paddle.ones(2)"]
    assert data["metadata"]["author"] == "me"
    for cell in data["cells"][1:]:
        assert cell["metadata"]["tags"] == ["mine"]
        assert (cell["outputs"], cell["execution_count"]) == ([], None)


def test_lines_of_our_own_are_left_out(tmp_path: Path) -> None:
    notebook = write(
        tmp_path / "n.ipynb",
        "%load_ext jupyter_ext\n%matplotlib inline\nimport torch",
        "%%convert --rtol 1e-3\nx = torch.ones(2)",
        'from jupyter_ext import carried, last_comparison\nx = carried("x")\nprint(x)',
        "%torchferry devices",
        "assert last_comparison().same",
        "%verifying = 1",
    )
    assert sources(port(notebook).notebook) == [
        "%matplotlib inline\nimport paddle",
        "x = paddle.ones(2)",
        "print(x)",
        "",
        "",
        "%verifying = 1",
    ]


def test_modules_that_use_torch_are_ported_with_one_module_of_helpers(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.torchferry]\nstyle = "exact"\n')
    (tmp_path / "heads.py").write_text(
        "import torch\n\n\ndef top(x: torch.Tensor):\n    return x.max(0)\n"
    )
    (tmp_path / "names.py").write_text("LABELS = ['a']\n")
    package = tmp_path / "nets"
    package.mkdir()
    (package / "__init__.py").write_text("from .parts import low\n")
    (package / "parts.py").write_text(
        "import torch\nfrom heads import top\n\n\ndef low(x: torch.Tensor):\n    return x.min(0)\n"
    )
    cells = (
        "import torch, nets.parts, heads as h\nfrom names import LABELS",
        "import nets as é, heads",
    )
    notebook = write(tmp_path / "n.ipynb", *cells)
    before = {file: file.read_bytes() for file in tmp_path.rglob("*.py")}
    written = port(notebook)
    assert {file: file.read_bytes() for file in before} == before
    assert sorted(file.relative_to(tmp_path).as_posix() for file in written.modules) == [
        "heads_paddle.py",
        "nets_paddle/__init__.py",
        "nets_paddle/parts.py",
        "torchferry_helpers.py",
    ]
    parts = (tmp_path / "nets_paddle" / "parts.py").read_text()
    assert "from heads_paddle import top\n" in parts
    assert "from torchferry_helpers import torch_min\n" in parts
    helpers = (tmp_path / "torchferry_helpers.py").read_text()
    assert "def torch_min(" in helpers and "def torch_max(" in helpers
    first, second = sources(written.notebook)
    assert "nets_paddle.parts, nets_paddle as nets, heads_paddle as h" in first
    assert "from names import LABELS" in first
    assert second == "import nets_paddle as é, heads_paddle as heads"


def test_a_module_is_read_in_the_light_of_the_notebook(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(
        "import torch.nn as nn\n\n\ndef make():\n    return nn.Linear(2, 3)\n"
    )
    plain = write(tmp_path / "plain.ipynb", "from net import make\nmake()")
    port(plain)
    first = (tmp_path / "net_paddle.py").read_text()
    (tmp_path / "net_paddle.py").unlink()
    reads = write(tmp_path / "reads.ipynb", "from net import make\nprint(make().weight.shape)")
    port(reads)
    assert (tmp_path / "net_paddle.py").read_text() != first


def test_an_edited_port_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "lib.py").write_text("import torch\nx = torch.ones(2)\n")
    notebook = write(tmp_path / "n.ipynb", "# Title", "import torch, lib")
    place = port(notebook).notebook
    port(notebook)  # as it was written
    data = json.loads(place.read_text())
    data["cells"][1]["outputs"] = [_SHOWN]
    place.write_text(json.dumps(data))
    port(notebook)  # run, and not edited
    data["cells"][0]["source"] = "# Another title"
    place.write_text(json.dumps(data))
    with pytest.raises(EditedPortError, match=r"n_paddle\.ipynb was edited; --force"):
        port(notebook)
    assert sources(place)[0] == "# Another title"
    port(notebook, force=True)
    (tmp_path / "lib_paddle.py").write_text("mine = 1\n")
    with pytest.raises(EditedPortError, match=r"lib_paddle\.py was edited"):
        port(notebook)
    assert (tmp_path / "lib_paddle.py").read_text() == "mine = 1\n"


def test_a_notebook_of_others_is_not_overwritten(tmp_path: Path) -> None:
    notebook = write(tmp_path / "n.ipynb", "import torch")
    mine = write(tmp_path / "n_paddle.ipynb", "x = 1").read_bytes()
    with pytest.raises(EditedPortError):
        port(notebook)
    assert (tmp_path / "n_paddle.ipynb").read_bytes() == mine


def test_a_cell_that_does_not_parse_stays_as_it_is(tmp_path: Path) -> None:
    notebook = write(tmp_path / "n.ipynb", "import torch", "x = (\n\n", "y = torch.ones(2)")
    written = port(notebook)
    assert sources(written.notebook) == ["import paddle", "x = (\n\n", "y = paddle.ones(2)"]
    assert written.notes == ("cell 2 does not parse, and stays unchanged",)


def test_a_script_that_a_cell_runs_is_named(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import torch\n")
    (tmp_path / "plain.py").write_text("x = 1\n")
    notebook = write(tmp_path / "n.ipynb", "import torch\n%run train.py", "!python plain.py")
    assert port(notebook).notes == ("cell 1 runs train.py, which uses torch: convert it too",)


def test_a_port_is_another_file_of_the_same_folder(tmp_path: Path) -> None:
    notebook = write(tmp_path / "n.ipynb", "import torch")
    for place in (notebook, tmp_path / "elsewhere" / "n.ipynb"):
        with pytest.raises(TorchferryError, match="another file in the folder"):
            port(notebook, output=place)
