"""The values of a compared cell, looked into in the panel."""

from __future__ import annotations

import json
import re

from lab_page import Lab
from playwright.sync_api import Locator, expect

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


def compare(lab: Lab, index: int) -> Locator:
    """Run a cell on both sides; the section with its values."""
    lab.select(index)
    lab.panel.get_by_role("button", name="Run both sides").click()
    values = lab.section("Values")
    expect(names(lab).first).to_be_visible()
    return values


def test_values_are_sorted_and_filtered(lab: Lab) -> None:
    lab.open("values", ["import torch\nimport torch.nn as nn", PARTED, TRAIN])
    lab.run(0)
    values = compare(lab, 1)
    expect(names(lab)).to_have_text(["image", "flat", "grid"])
    expect(values.get_by_role("img", name="different")).to_have_count(1)
    expect(values).to_contain_text("First apart: image since line 3")
    values.get_by_role("button", name="line 3").click()
    assert lab.selection(1).startswith("if 'paddle'")
    values.get_by_role("button", name="Name").click()
    expect(names(lab)).to_have_text(["flat", "grid", "image"])
    values.get_by_role("button", name="Name").click()
    expect(names(lab)).to_have_text(["image", "grid", "flat"])
    values.get_by_label("Only different").check()
    expect(names(lab)).to_have_text(["image"])
    expect(values.get_by_role("status").last).to_have_text("1 of 3 values")
    values.get_by_label("Only different").uncheck()
    values.get_by_label("Filter values").fill("float32 40")
    expect(names(lab)).to_have_text(["flat"])
    values.get_by_label("Filter values").fill("")

    lab.select(2)
    expect(values).to_contain_text("Run both sides, and the values")
    compare(lab, 2)
    expect(
        values.get_by_role("img", name=re.compile("loss, line 8: torch and paddle"))
    ).to_be_visible()
    expect(
        values.get_by_role("img", name=re.compile("norm of the gradients, line 9"))
    ).to_be_visible()
    values.get_by_label("Filter values").fill("model weight.grad")
    expect(names(lab)).to_have_text(["model.2.weight.grad", "model.0.weight.grad"])


def test_a_tensor_is_looked_into_slice_by_slice(lab: Lab) -> None:
    lab.open("slices", ["import torch", PARTED])
    lab.run(0)
    values = compare(lab, 1)
    names(lab).first.click()
    tensor = values.locator(".tf-Tensor")
    expect(tensor).to_contain_text("image 5×6×24×32 float32")
    expect(tensor).to_contain_text("Furthest apart at [3, 4, 1")
    expect(tensor).to_contain_text("4 elements apart by a tenth of that or more: dimension 0 at 3;")
    expect(tensor).to_contain_text("dimension 2 at 4 of 24, from 10 to 13; dimension 3 at 20.")
    expect(tensor.locator("canvas")).to_have_count(3)
    expect(tensor.locator(".tf-Tensor-slice")).to_have_text("slice [3, 4, :, :]: 24×32")
    assert red(tensor) == [[row, 20] for row in range(10, 14)]
    # Another slice, where nothing differs; the kernel is asked for it alone.
    slider = tensor.get_by_label("Index in dimension 1")
    slider.focus()
    lab.page.keyboard.press("ArrowLeft")
    expect(tensor.locator(".tf-Tensor-slice")).to_have_text("slice [3, 3, :, :]: 24×32")
    assert red(tensor) == []

    names(lab).filter(has_text="flat").click()
    expect(tensor).to_contain_text("Every element is the same.")
    expect(tensor.locator(".tf-Tensor-slice")).to_have_text("slice [:]: 1×40")
    # What the notebook keeps holds none of this.
    lab.command("docmanager:save")
    expect(lab.page.locator(".lm-TabBar-tab.lm-mod-current.jp-mod-dirty")).to_have_count(0)
    saved = json.loads((lab.server.root / "slices.ipynb").read_text())
    assert saved["cells"][1]["outputs"] == []


def red(tensor: Locator) -> list[list[int]]:
    """The rows and columns that the picture of the differences marks."""
    marked: list[list[int]] = tensor.locator("canvas").last.evaluate(
        """canvas => {
            const { width, height } = canvas;
            const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
            const found = [...Array(width * height).keys()].filter(i => data[4 * i + 3]);
            return found.map(i => [Math.floor(i / width), i % width]);
        }"""
    )
    return marked
