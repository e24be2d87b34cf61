"""Whole documents converted by a command: Markdown, docstrings, and a file to another file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect
from vscode_page import START_MS

if TYPE_CHECKING:
    from pathlib import Path

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


def test_a_document_a_file_with_its_docstrings_and_a_copy(folder: Path, window: Workbench) -> None:
    (folder / "GUIDE.md").write_text(DOCUMENT)
    (folder / "double.py").write_text(FILE)
    window.open_file("double.py")
    window.expect_any_squiggle(START_MS)
    window.command("Torchferry: Convert This File and the Code in Its Docstrings")
    message = "Converted 2 uses of torch in this file, and 1 in its docstrings."
    expect(window.messages.first).to_have_text(message)
    window.save()
    assert (folder / "double.py").read_text() == FILE.replace("torch", "paddle")
    window.press("Control+Z")
    window.save()
    assert (folder / "double.py").read_text() == FILE, "one step takes all of it back"

    window.tidy()
    window.open_file("GUIDE.md")
    window.command("Torchferry: Convert the Code in This Document")
    message = "Converted 1 use of torch in the code of this document."
    expect(window.messages.first).to_have_text(message)
    window.save()
    python, shell = DOCUMENT.split("```sh")
    assert (folder / "GUIDE.md").read_text() == python.replace("torch", "paddle") + f"```sh{shell}"

    window.tidy()
    window.open_file("double.py")
    window.save_as("Torchferry: Convert This File to…", re.compile(r"/double_paddle\.py$"))
    expect(window.messages.first).to_contain_text("100 % of 2 uses", timeout=START_MS)
    expect(window.page_shown().locator("main")).to_contain_text("uses of torch converted")
    assert (folder / "double_paddle.py").read_text().startswith("import paddle\n")
    assert (folder / "double.py").read_text() == FILE
