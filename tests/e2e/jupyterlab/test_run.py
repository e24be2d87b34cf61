"""Cells on both sides: from the panel, by the magic, and what their values hold."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator

import pytest
from cells import WORK
from lab_page import Lab
from playwright.sync_api import Locator, expect

LOAD = "%load_ext jupyter_ext\nimport torch"
APART = re.compile("tf-mod-apart")
PARTED = """grid = torch.arange(-11520.0, 11520.0).reshape(5, 6, 24, 32)
image = grid * 2
if 'paddle' in type(grid).__module__:
    image[3, 4, 10:14, 20] += 500
flat = image.reshape(-1)[:40]"""
TRAIN = """torch.manual_seed(0)
x = torch.randn(32, 6)
model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(12):
    optimizer.zero_grad()
    loss = (model(x) ** 2).mean()
    loss.backward()
    optimizer.step()"""


def names(lab: Lab) -> Locator:
    return lab.section("Values").locator("tbody button")


def output(lab: Lab, index: int) -> Locator:
    """Return the last output of the cell; a line of progress may be above it."""
    return lab.cell(index).locator(".jp-OutputArea-output").last


def run_both(lab: Lab, index: int) -> None:
    """Run a cell on both sides from the panel, and wait until it has ended."""
    lab.select(index)
    run = lab.button("Run both sides")
    run.click()
    expect(run).to_be_enabled()


def test_a_cell_runs_on_both_sides(lab: Lab) -> None:
    crash = "import os\nos.abort()"
    key = "y = torch.ones(3)"
    lab.open("run", ["import torch", WORK, key, "x = torch.rand(3)", crash])
    lab.run(0)
    run_both(lab, 1)
    expect(lab.compared()).to_contain_text("Same")
    expect(lab.section("Values")).to_contain_text("zeros")
    expect(lab.section("Values")).to_contain_text("ones")

    # The comparison says which cell it belongs to.
    subject = lab.section("Comparison").locator(".tf-Subject")
    expect(subject).to_contain_text("run.ipynb")
    expect(subject).to_contain_text("zeros = torch.zeros(2, 3)")
    expect(subject).not_to_have_class(APART)
    lab.select(2)
    expect(subject).to_contain_text("another cell")
    expect(subject).to_have_class(APART)
    subject.get_by_role("button").click()
    expect(lab.cell(1)).to_have_class(re.compile("jp-mod-active"))
    expect(subject).not_to_have_class(APART)
    # The names are there, as after any run.
    lab.type_in(1, "print(ones.sum().item())")
    expect(subject).to_contain_text("the cell has changed since")
    lab.run(1)
    expect(lab.cell(1).locator(".jp-OutputArea-output")).to_have_text("6.0\n")

    lab.select(2)
    lab.page.keyboard.press("Control+Alt+Enter")
    expect(subject).to_contain_text(key)
    expect(lab.compared()).to_contain_text("Same")

    run = lab.section("Devices and run")
    options = run.locator(".tf-RunOptions")
    options.locator("summary").click()
    run.get_by_label("Repeats").fill("3")
    run.get_by_label("Seed").fill("7")
    run.get_by_label("Relative tolerance").fill("-1")  # it takes no such number
    expect(options.locator("summary")).to_have_text("Options: repeats 3 seed 7")
    run_both(lab, 3)
    expect(lab.compared()).to_contain_text("median of 3")
    for field in ("Repeats", "Seed", "Relative tolerance"):
        run.get_by_label(field).fill("")
    run.get_by_label("Isolated").check()
    run_both(lab, 4)
    expect(lab.compared()).to_contain_text("torch crashed: Aborted at line 2")
    run.get_by_label("Isolated").uncheck()
    expect(options.locator("summary")).to_have_text("Options")
    options.locator("summary").click()


def test_values_are_looked_into(lab: Lab) -> None:
    lab.open("values", ["import torch\nimport torch.nn as nn", PARTED, TRAIN])
    lab.run(0)
    run_both(lab, 1)
    values = lab.section("Values")
    expect(names(lab)).to_have_text(["image", "flat", "grid"])
    expect(values.get_by_role("img", name="different")).to_have_count(1)
    expect(values).to_contain_text("First difference: image since line 3")
    values.get_by_role("button", name="line 3").click()
    assert lab.selection(1).startswith("if 'paddle'")
    values.get_by_role("button", name="Name").click()
    expect(names(lab)).to_have_text(["flat", "grid", "image"])
    values.get_by_role("button", name="Name").click()
    expect(names(lab)).to_have_text(["image", "grid", "flat"])
    values.get_by_label("Only differences").check()
    expect(names(lab)).to_have_text(["image"])
    expect(values.get_by_role("status").last).to_have_text("1 of 3 values")
    slice_by_slice(lab)
    values.get_by_label("Only differences").uncheck()
    values.get_by_label("Filter values").fill("float32 40")
    expect(names(lab)).to_have_text(["flat"])
    names(lab).click()
    tensor = values.locator(".tf-Tensor")
    expect(tensor).to_contain_text("Every element is the same.")
    expect(tensor.locator(".tf-Tensor-slice")).to_have_text("slice [:]: 1×40")
    values.get_by_label("Filter values").fill("")

    lab.select(2)
    expect(values).to_contain_text("Run both sides to inspect the values")
    run_both(lab, 2)
    for curve in ("loss, line 8: torch and paddle", "norm of the gradients, line 9"):
        expect(values.get_by_role("img", name=re.compile(curve))).to_be_visible()
    values.get_by_label("Filter values").fill("model weight.grad")
    expect(names(lab)).to_have_text(["model.2.weight.grad", "model.0.weight.grad"])
    values.get_by_label("Filter values").fill("")
    # The saved notebook contains none of this.
    lab.save()
    saved = json.loads((lab.server.root / "values.ipynb").read_text())
    assert saved["cells"][1]["outputs"] == saved["cells"][2]["outputs"] == []


def slice_by_slice(lab: Lab) -> None:
    """Look into the one value that differs."""
    names(lab).click()
    tensor = lab.section("Values").locator(".tf-Tensor")
    expect(tensor).to_contain_text("image 5×6×24×32 float32")
    expect(tensor).to_contain_text("Largest difference at [3, 4, 1")
    expect(tensor).to_contain_text(
        "4 elements with at least a tenth of that difference: dimension 0 at 3;"
    )
    expect(tensor).to_contain_text("dimension 2 at 4 of 24, from 10 to 13; dimension 3 at 20.")
    expect(tensor.locator("canvas")).to_have_count(3)
    expect(tensor.locator(".tf-Tensor-slice")).to_have_text("slice [3, 4, :, :]: 24×32")
    assert red(tensor) == [[row, 20] for row in range(10, 14)]
    # In another slice nothing differs; the kernel sends only that slice.
    tensor.get_by_label("Index in dimension 1").focus()
    lab.page.keyboard.press("ArrowLeft")
    expect(tensor.locator(".tf-Tensor-slice")).to_have_text("slice [3, 3, :, :]: 24×32")
    assert red(tensor) == []


def red(tensor: Locator) -> list[list[int]]:
    """Return the rows and columns that the picture of the differences marks."""
    marked: list[list[int]] = tensor.locator("canvas").last.evaluate(
        """canvas => {
            const { width, height } = canvas;
            const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
            const found = [...Array(width * height).keys()].filter(i => data[4 * i + 3]);
            return found.map(i => [Math.floor(i / width), i % width]);
        }"""
    )
    return marked


def test_the_magic_in_a_notebook(lab: Lab) -> None:
    cells = [
        "md:# Sums",
        f"{LOAD}\nimport torch.nn as nn",
        f"%%convert\n{TRAIN}",
        "%%convert\nz = torch.arange(3)",
        "x = torch.ones(2, 3)\nprint(x.sum(dim=1))",
        "%convert_notebook magic.ipynb",
        "%%convert --result replace\ny = torch.ones(2, 3)",
    ]
    lab.open("magic", cells)
    lab.run(1)
    lab.run(2)
    the_widget_sorts_and_draws(lab, output(lab, 2))
    lab.run(3)
    expect(lab.cell(3)).to_have_attribute("data-torchferry", "same")
    expect(lab.cell(3).locator(".jp-InputPrompt")).to_have_attribute("title", re.compile("Same: 1"))

    lab.run(4)
    expect(output(lab, 4)).to_have_text("tensor([3., 3.])")
    lab.save()
    lab.run(5)
    expect(output(lab, 5)).to_contain_text("magic_paddle.ipynb")
    ours, theirs = (
        json.loads((lab.server.root / name).read_text())
        for name in ("magic.ipynb", "magic_paddle.ipynb")
    )
    assert ours["cells"][4]["outputs"] and not theirs["cells"][4]["outputs"]
    assert "".join(theirs["cells"][4]["source"]) == cells[4].replace("torch", "paddle")

    lab.run(6)
    lab.expect_source(6, re.compile("y = paddle.ones"))
    assert lab.source(6).endswith("y = paddle.ones(2, 3)")


def the_widget_sorts_and_draws(lab: Lab, shown: Locator) -> None:
    expect(shown).to_contain_text("13 values agree")
    expect(shown).to_contain_text("loss, line 9")
    rows = shown.locator(".tf-rows .tf-name")
    shown.get_by_label("sort by").select_option("name")
    expect(rows.first).to_have_text("loss")
    expect(rows.nth(1)).to_have_text("loss, line 9")
    shown.get_by_label("picture of").select_option("model.0.weight")
    expect(shown.get_by_role("img", name=re.compile("heat map"))).to_be_visible()
    expect(shown.get_by_role("img", name=re.compile("histogram"))).to_be_visible()


class Gate:
    """A place where a cell waits, on either side, until the test lets it go on."""

    def __init__(self) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.listening.settimeout(60)

    @property
    def cell(self) -> str:
        port = self.listening.getsockname()[1]
        wait = f"socket.create_connection(('127.0.0.1', {port})).recv(1)"  # b"" once closed
        # In a statement that uses torch: one that does not runs once.
        return f"%%convert\nimport socket\ntotal = torch.ones(2 + len({wait}))"

    def reached(self) -> socket.socket:
        """Return the connection of a side once it waits; closing it lets that side continue."""
        return self.listening.accept()[0]


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.listening.close()


def test_the_panel_follows_while_a_cell_runs(lab: Lab, gate: Gate) -> None:
    """Inserted code belongs to the active cell, whenever that one was chosen."""
    cells = [f"step{number} = torch.full(({number},), {number})" for number in range(2, 5)]
    lab.open("follow-running", [LOAD, gate.cell, *cells])
    lab.run(0)
    lab.select(1)
    lab.start(1)
    with gate.reached():  # torch's side waits
        insert(lab, 2)
        insert(lab, 4)
    with gate.reached():  # Paddle's side waits
        insert(lab, 3)
    expect(lab.cell(1).locator(".jp-InputArea-prompt").first).to_have_text(re.compile(r"\d"))
    expect(lab.cell(1).locator(".jp-OutputArea")).to_contain_text("Same")


def insert(lab: Lab, number: int) -> None:
    """Insert the converted code of a cell below it, see that it is its own, and remove it."""
    lab.select(number)
    lab.button("Insert the converted code below, as a new cell").click()
    expect(lab.cell(number + 1).locator(".cm-content")).to_contain_text("paddle.full")
    assert f"\nstep{number}_paddle = paddle.full(" in lab.source(number + 1)
    lab.command("notebook:delete-cell")
