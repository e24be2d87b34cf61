"""Code in Markdown and in docstrings, converted where it stands."""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from vscode_page import START_MS

if TYPE_CHECKING:
    from vscode_page import Workbench

DOCUMENT = """\
# Use

```python
import torch
x = torch.zeros(3)
```

```sh
pip install torch
```
"""
FILE = '''\
import torch


def double(x: torch.Tensor):
    """Twice.

    >>> double(torch.ones(2))
    """
    return torch.add(x, x)
'''


@pytest.fixture
def folder(root: Path, request: pytest.FixtureRequest) -> Path:
    folder = Path(mkdtemp(prefix=request.node.name, dir=root))
    (folder / "GUIDE.md").write_text(DOCUMENT)
    (folder / "double.py").write_text(FILE)
    return folder


def test_a_document(folder: Path, window: Workbench, tmp_path: Path) -> None:
    window.open_file("GUIDE.md")
    window.command("Torchferry: Convert the Code in This Document")
    told = "Converted 1 use of torch in the code of this document."
    expect(window.messages.first).to_have_text(told, timeout=START_MS)
    window.picture(tmp_path, "document")
    window.save()
    python, shell = DOCUMENT.split("```sh")
    assert (folder / "GUIDE.md").read_text() == python.replace("torch", "paddle") + f"```sh{shell}"


def test_a_file_and_its_docstrings_in_one_step(
    folder: Path, window: Workbench, tmp_path: Path
) -> None:
    window.open_file("double.py")
    window.expect_any_squiggle(START_MS)
    window.command("Torchferry: Convert This File and the Code in Its Docstrings")
    told = "Converted 2 uses of torch in this file, and 1 in its docstrings."
    expect(window.messages.first).to_have_text(told)
    window.picture(tmp_path, "docstrings")
    window.save()
    assert (folder / "double.py").read_text() == FILE.replace("torch", "paddle")
    window.press("Control+Z")
    window.save()
    assert (folder / "double.py").read_text() == FILE
