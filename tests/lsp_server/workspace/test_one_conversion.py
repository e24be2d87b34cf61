"""The editor and the command line write the same text."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import workbench
from lsp_server.workspace.documents import Document
from lsp_server.workspace.notebooks import NotebookProgram
from workbench.convert.notebook.notebook_files import convert_notebook, read_notebook
from workbench.findings import Edit, apply_edits
from workbench.positions import Lines
from workbench.targets import load

if TYPE_CHECKING:
    from pathlib import Path

    from lsp_session import Session

USE = "y = torch.rsub(x, z)"
NOTEBOOKS = (
    ["%matplotlib inline\nimport os\n%load_ext foo\nimport torch\nfrom torch import nn", USE],
    ["!pip install torch\n", "import torch\n", USE],
    ["%%bash\nls", "import torch\nimport numpy as np", f"%%time\n{USE}"],
    ["import torch", "%%bash\nls", f"{USE}\nt = torch.lobpcg(x)"],
    ["# title", "import numpy as np", "%%bash\nls", f"import torch; {USE}"],
    ["%%bash\nls", f"def f(x):\n    import torch\n    {USE}", "f(1)"],
    ["'''doc'''", "from torch import *", "y = rsub(x, z)"],
)


@pytest.mark.parametrize("cells", NOTEBOOKS)
def test_a_notebook_is_the_same_from_the_editor_and_from_the_command_line(
    cells: list[str],
) -> None:
    written = [{"cell_type": "code", "source": one, "metadata": {}, "outputs": []} for one in cells]
    text = json.dumps({"cells": written, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    aim = load("paddle")
    done = json.loads(convert_notebook(read_notebook(text, "a.ipynb"), aim, "a.ipynb").text)
    program = NotebookProgram.of_file("file:///a.ipynb", text)
    edits: dict[str, list[Edit]] = {document.uri: [] for document in program.documents}
    for edit in workbench.convert(program.text, target=aim).edits:
        place = program.locate(edit.range, edit.text)
        assert place is not None
        edits[place.document.uri].append(Edit(place.range, place.text))
    changed = [apply_edits(one.text, edits[one.uri]) for one in program.documents]
    assert changed == [one["source"] for one in done["cells"]]
    assert changed != cells


def test_cells_joined_while_an_edit_comes_in_are_joined_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    documents = [Document(f"file:///a.ipynb#{n}", "python", 1, f"x = {n}\n") for n in range(2)]
    program = NotebookProgram("file:///a.ipynb", documents)
    join = NotebookProgram._join

    def join_with_an_edit(program: NotebookProgram) -> object:
        joined = join(program)
        monkeypatch.undo()
        documents[1].lines = Lines("y = 3\n")
        program.touch()
        return joined

    monkeypatch.setattr(NotebookProgram, "_join", join_with_an_edit)
    assert program.text == "x = 0\nx = 1\n"
    assert program.text == "x = 0\ny = 3\n"


PROJECT = {
    "layers.py": "import torch\n\n\ndef made(x):\n    return torch.exp(x)\n",
    "main.py": "from layers import made\n\n\ndef run(x):\n    return made(x).max(1)\n",
    "net/__init__.py": "",
    "net/inner/__init__.py": "",
    "net/inner/model.py": "from layers import made\nfrom net.blocks import block\n\n\n"
    "def run(x):\n    return block(x).max(1), made(x).min(1)\n",
    "net/blocks.py": "import torch\n\n\ndef block(x):\n    return torch.sin(x)\n",
}


@pytest.mark.parametrize("marked", [False, True])
@pytest.mark.parametrize("opened", ["", "net"])
@pytest.mark.parametrize("name", ["main.py", "net/inner/model.py"])
def test_a_file_is_read_with_the_same_project_everywhere(
    bare: Session, tmp_path: Path, name: str, opened: str, marked: bool
) -> None:
    if not name.startswith(opened):
        pytest.skip("the file is not in the open folder")
    project = tmp_path / "project"
    for path, text in PROJECT.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(text)
    if marked:
        (project / ".git").mkdir()
    folder, out = project / opened, tmp_path / "out.py"
    command = [sys.executable, "-m", "torchferry", "convert", project / name, "-o", out]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    bare.initialize(["utf-16"], folder=folder)
    bare.open((project / name).as_uri(), PROJECT[name])
    code = bare.command("preview", (project / name).as_uri())["code"]
    assert code == out.read_text()
    assert "paddle.compat.max(" in code
