"""Lines of notebooks that install torch."""

from __future__ import annotations

import json

import pytest

from workbench.convert.notebook.notebook_files import check_notebook, read_notebook


def found(line: str) -> list[tuple[str, int]]:
    data = {"cells": [{"cell_type": "code", "source": f"x = 1\n{line}\n"}]}
    [(_, findings)] = check_notebook(read_notebook(json.dumps(data), "a.ipynb"), "paddle")
    return [(finding.message, finding.range.start.line) for finding in findings]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("!pip install torch", "torch"),
        ("%pip install -q 'torch>=2.1' torchvision==0.20", "torch, torchvision"),
        ("!python -m pip install --upgrade torch", "torch"),
        ("!uv pip install numpy torch", "torch"),
        ("%conda install -y pytorch", "torch"),
    ],
)
def test_they_are_named(line: str, names: str) -> None:
    [(message, at)] = found(line)
    assert at == 1
    assert message.startswith(f"this line installs {names} and stays; ")
    assert "paddlepaddle" in message


@pytest.mark.parametrize("line", ["!pip install numpy", "!ls torch", "%time install", "!pip list"])
def test_others_are_not(line: str) -> None:
    assert found(line) == []
