"""`torchferry port`: exit codes and what it prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from workbench.commands.port import port
from workbench.errors import TorchferryError


def ported(*arguments: str) -> Result:
    return CliRunner().invoke(port, arguments, catch_exceptions=False)


def notebook(path: Path, *sources: str) -> str:
    cells = [
        {
            "cell_type": "code",
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": source,
        }
        for source in sources
    ]
    data = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    path.write_text(json.dumps(data))
    return str(path)


def test_the_exit_code_says_whether_uses_remain(tmp_path: Path) -> None:
    whole = ported(notebook(tmp_path / "a.ipynb", "import torch", "x = torch.ones(2)"))
    assert whole.exit_code == 0
    assert "a_paddle.ipynb" in whole.stdout
    part = ported(notebook(tmp_path / "b.ipynb", "import torch", "x = torch.lobpcg(a)"))
    assert part.exit_code == 1
    assert "1 remains, under a comment" in part.stdout


def test_bad_input_is_one_message(tmp_path: Path) -> None:
    path = notebook(tmp_path / "a.ipynb", "import torch")
    for arguments, message in [
        ((str(tmp_path / "none.ipynb"),), "check the path"),
        ((__file__,), "use torchferry convert for other files"),
        ((path, "--target", "keras"), "unknown target"),
        ((path, "-o", path), "another file in the folder"),
        ((path, "-o", str(tmp_path / "a.py")), "give a name that ends in .ipynb"),
    ]:
        with pytest.raises(TorchferryError, match=message):
            ported(*arguments)
