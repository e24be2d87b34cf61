"""The notebook at a glance: every cell with what it came to, and what is done with all of them."""

from __future__ import annotations

import re

from lab_page import Lab
from playwright.sync_api import Locator, expect

CELLS = [
    "import time\nimport torch",
    "weights = torch.linspace(0, 1, 6)",
    "model = torch.nn.Linear(6, 2)\nscores = model(weights)",
    "if 'paddle' in type(weights).__module__:\n    weights = weights + 1\ntotal = weights.sum()",
    "wrong = weights.reshape(4, 4)",
    "print(total)",
]
STATES = ["same", "same", "same", "different", "raised", "same"]
WORDS = [*STATES[:4], "raised on both", "same"]


def words(lab: Lab) -> Locator:
    return lab.section("Notebook").locator(".tf-Cells-word")


def mark(lab: Lab, index: int) -> str | None:
    """Return the state that a cell's prompt is marked with."""
    return lab.cell(index).get_attribute("data-torchferry")


def test_all_cells_run_and_are_converted(lab: Lab) -> None:
    lab.open("glance", [*CELLS, "md:The end."])
    notebook = lab.section("Notebook")
    expect(words(lab)).to_have_text([*["not compared"] * 5, "unchanged"])
    notebook.get_by_role("button", name="Run all").click()
    expect(words(lab)).to_have_text(WORDS)
    expect(notebook.get_by_role("button", name="Run all")).to_be_visible()
    expect(notebook.locator(".tf-Cells-sum")).to_have_text("2 problems · 4 same")
    assert [mark(lab, index) for index in range(7)] == [*STATES, None]
    # Cells stay as they are, and show what they show without the magic.
    assert [lab.source(index) for index in range(6)] == CELLS
    expect(lab.cell(5).locator(".jp-OutputArea-output")).to_have_text("tensor(3.)\n")
    expect(lab.cell(4)).to_contain_text("RuntimeError")
    expect(lab.cell(4)).to_contain_text("----> 1 wrong = ")  # as the cell counts its lines
    expect(lab.cell(5).locator(".jp-InputArea-prompt").first).to_have_text(re.compile(r"\[\d+\]"))

    notebook.get_by_label("Only problems").check()
    expect(words(lab)).to_have_text(["different", "raised on both"])
    notebook.get_by_role("button", name=re.compile("if 'paddle'")).click()
    expect(lab.cell(3)).to_have_class(re.compile("jp-mod-active"))
    expect(lab.section("Comparison").locator(".tf-Run-output")).to_contain_text("Different")
    expect(lab.section("Comparison").locator(".tf-Subject")).to_contain_text("if 'paddle'")
    notebook.get_by_label("Only problems").uncheck()
    notebook.get_by_role("button", name="Outcome", exact=True).click()
    expect(words(lab).first).to_have_text("different")
    expect(words(lab).nth(1)).to_have_text("raised on both")
    notebook.get_by_role("button", name="Cell", exact=True).click()

    lab.type_in(1, "weights = torch.linspace(0, 2, 6)")
    expect(words(lab).nth(1)).to_have_text("stale")
    lab.select(6)
    expect(notebook).to_be_visible()
    expect(lab.status).to_have_text("This cell is not code.")

    a_run_is_stopped(lab)
    all_are_converted_and_taken_back(lab)


def all_are_converted_and_taken_back(lab: Lab) -> None:
    torch = ["import torch", "a = torch.ones(2)", "print(a.numpy())"]
    lab.open("convert-all", torch)
    notebook, dialog = lab.section("Notebook"), lab.page.get_by_role("dialog")
    for index in range(3):
        lab.run(index)
    shown = lab.cell(2).locator(".jp-OutputArea-output")
    expect(shown).to_have_text("[1. 1.]\n")

    notebook.get_by_role("button", name="Port", exact=True).click()
    expect(lab.page.get_by_role("tab", name="convert-all_paddle.ipynb")).to_be_visible()
    lab.page.get_by_role("tab", name="convert-all.ipynb").click()

    notebook.get_by_role("button", name="Convert all").click()
    expect(dialog).to_contain_text("2 cells change")
    dialog.get_by_role("button", name="Cancel").click()
    notebook.get_by_role("button", name="Convert all").click()
    dialog.get_by_role("button", name="Convert", exact=True).click()
    lab.expect_source(1, re.compile("paddle"))
    converted = ["import paddle", "a = paddle.ones(2)", "print(a.numpy())"]
    assert [lab.source(index) for index in range(3)] == converted
    expect(shown).to_have_count(0)  # it was torch's
    notebook.get_by_role("button", name="Undo").click()
    lab.expect_source(1, re.compile("torch"))
    assert [lab.source(index) for index in range(3)] == torch
    expect(shown).to_have_text("[1. 1.]\n")


def a_run_is_stopped(lab: Lab) -> None:
    lab.open("stop", ["import time, torch", "a = torch.ones(1)", "time.sleep(600)", "b = a + 1"])
    notebook = lab.section("Notebook")
    notebook.get_by_role("button", name="Run all").click()
    expect(notebook.get_by_role("status")).to_contain_text("2 of 4 cells · ")
    expect(lab.cell(2).locator(".jp-InputArea-prompt").first).to_have_text("[*]:")
    notebook.get_by_role("button", name="Stop").click()
    expect(notebook.get_by_role("button", name="Run all")).to_be_visible()
    expect(lab.cell(2)).to_contain_text("KeyboardInterrupt")
    expect(words(lab).nth(1)).to_have_text("same")
    expect(words(lab).nth(3)).to_have_text("unchanged")
