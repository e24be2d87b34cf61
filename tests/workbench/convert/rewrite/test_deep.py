"""Expressions nested deeper than Python parses: reported, never ignored."""

from __future__ import annotations

import ast
import json

import pytest

import workbench
from workbench.convert.notebook.notebook_files import convert_notebook, read_notebook
from workbench.targets import load

DEEP = "import torch\nx = " + "torch.abs(a) + " * 2000 + "1\n"


def test_a_check_says_that_uses_may_be_hidden() -> None:
    found = workbench.check(DEEP)
    assert found[0].code == "TF000"
    assert "nested too deeply" in found[0].message


def test_a_conversion_is_refused() -> None:
    with pytest.raises(workbench.TorchferryError, match=r"a\.py: .* nested too deeply"):
        workbench.convert(DEEP, filename="a.py")


@pytest.mark.parametrize("depth", [150, 196, 197, 198, 199])
def test_converted_code_parses(depth: int) -> None:
    text = "import torch\nx = " + "(" * depth + "torch.randn(2, 3)" + ")" * depth + "\n"
    ast.parse(text)
    try:
        code = workbench.convert(text, filename="a.py").code
    except workbench.TorchferryError as error:
        assert str(error).startswith("a.py:2:1: once converted, this would not parse")
        assert "assign parts of the expression to names" in str(error)
        assert depth == 199
    else:
        ast.parse(code)


def test_a_cell_that_would_not_parse_is_named() -> None:
    depth = 199
    deep = "x = " + "(" * depth + "torch.randn(2, 3)" + ")" * depth
    cells = ["import torch", f"y = 1\n{deep}"]
    found = {
        "cells": [{"cell_type": "code", "source": each, "outputs": []} for each in cells],
        "metadata": {},
        "nbformat": 4,
    }
    notebook = read_notebook(json.dumps(found), "n.ipynb")
    message = r"n\.ipynb: cell 2, line 2: once converted"
    with pytest.raises(workbench.TorchferryError, match=message):
        convert_notebook(notebook, load("paddle", "exact"), "n.ipynb")


def test_a_number_too_long_for_python_is_reported() -> None:
    text = '{"cells": [], "metadata": {"n": ' + "9" * 5_000 + "}}"
    with pytest.raises(workbench.TorchferryError, match=r"n\.ipynb: a number .* more digits"):
        read_notebook(text, "n.ipynb")
