"""Notebooks in the real workbench: fixes, cells that are converted, and that run on both sides."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from playwright.sync_api import expect
from vscode_page import START_MS

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator
    from vscode_page import Workbench


def write(folder: Path, *sources: str) -> None:
    cells = [
        {
            "cell_type": "code",
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": source.splitlines(keepends=True),
        }
        for source in sources
    ]
    metadata = {"language_info": {"name": "python"}}
    book = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    (folder / "book.ipynb").write_text(json.dumps(book, indent=1))


def texts(folder: Path) -> list[str]:
    """Return the cells as they are on disk."""
    saved = json.loads((folder / "book.ipynb").read_text())
    return ["".join(cell["source"]) for cell in saved["cells"]]


def choose(window: Workbench, number: int, title: str) -> None:
    """Take something from the menu of a cell."""
    row = window.cells.nth(number)
    row.locator(".view-line").first.click()
    row.get_by_role("button", name="More Actions...").click()
    # A menu takes no click in its first moments.
    window.page.get_by_role("menuitem", name=title).hover()
    window.page.keyboard.press("Enter")


def text_of(cell: Locator) -> Locator:
    return cell.locator(".view-lines")


def test_the_whole_notebook_a_use_and_a_cell(folder: Path, window: Workbench) -> None:
    cells = [
        *("import torch", "x = torch.zeros(3)  # kept"),
        *("y = torch.abs(x)", "z = torch.no_such_thing(y)"),
    ]
    write(folder, *cells)
    window.open_file("book.ipynb")
    window.expect_squiggles(3, START_MS)
    window.page.get_by_role("button", name="Convert Torch in the Notebook").click()
    expect(window.messages.first).to_contain_text("Converted 2 uses of torch in the notebook")
    expect(window.messages.first).to_contain_text(
        "1 not converted: torch.no_such_thing (no rule yet)."
    )
    expect(text_of(window.cells.nth(1))).to_have_text("x = paddle.zeros(3)  # kept")
    expect(text_of(window.cells.nth(2))).to_have_text("y = paddle.abs(x)")
    window.command("Notifications: Clear All Notifications")
    window.cells.nth(0).locator(".view-line").first.click()
    window.press("Control+Z")  # takes all of it back
    for number, text in enumerate(cells):
        expect(text_of(window.cells.nth(number))).to_have_text(text)

    window.expect_squiggles(3)
    window.click_squiggle(1)
    window.quick_fix("Convert torch.abs to paddle.abs")
    window.save()
    cells[0], cells[2] = "import paddle\nimport torch", "y = paddle.abs(x)"
    assert texts(folder) == cells

    choose(window, 1, "Convert Torch in This Cell")
    expect(window.messages.first).to_have_text("Converted 1 use of torch in this cell.")
    window.save()
    assert texts(folder) == [cells[0], "x = paddle.zeros(3)  # kept", *cells[2:]]


def test_a_cell_runs_on_both_sides(folder: Path, window: Workbench) -> None:
    source = "x = torch.arange(6.0)\ny = torch.softmax(x, 0)"
    write(folder, "import torch", source)
    window.open_file("book.ipynb")
    window.expect_squiggles(2, START_MS)
    choose(window, 1, "Run This Cell Side by Side")
    expect(window.messages.first).to_contain_text("1 cell above has not run yet.")
    window.page.get_by_role("button", name="Run It First").click()
    expect(window.cells).to_have_count(3)
    expect(text_of(window.cells.nth(0))).to_have_text("%load_ext jupyter_ext")
    expect(text_of(window.cells.nth(2))).to_contain_text("%%convert")
    output = window.page_shown()
    expect(output.get_by_text("paddle.nn.functional.softmax").first).to_be_visible(timeout=START_MS)
    window.save()
    assert texts(folder) == ["%load_ext jupyter_ext", "import torch", f"%%convert\n{source}"]
