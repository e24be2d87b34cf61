"""Takes the README's pictures of JupyterLab, light and dark: `make lab-shots`.

They show the panel, the report of a cell that ran on both sides, and two graphs side by side.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from cells import CALL, NET
from conftest import jupyterlab
from lab_page import Lab, Server
from module_graph import Modules
from test_graph_folded import GPT

from scripts.browser import find_browser
from tests.e2e.conftest import FLAGS

IMAGES = Path(__file__).resolve().parents[3] / "docs" / "images"
SIZE = {"width": 1310, "height": 1040}
SCALE = 1.1
HALF = 80  # of the colours of a picture
THEMES = {"": "JupyterLab Light", "-dark": "JupyterLab Dark"}

DATA = """\
%load_ext jupyter_ext
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
images, labels = torch.randn(256, 1, 8, 8), torch.arange(256) % 10
features = nn.Sequential(nn.Conv2d(1, 16, 3), nn.ReLU(), nn.Flatten())
model = nn.Sequential(features, nn.Linear(576, 10))"""
TRAIN = """\
%%convert
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(images, labels), batch_size=32, shuffle=True)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.01)
losses = []
for epoch in range(2):
    for batch, target in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(batch), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    print(f"epoch {epoch + 1}: loss {loss.item():.3f}")"""


def take_panel(lab: Lab) -> None:
    """Take the panel with the findings, the code and the graph of a cell."""
    lab.open("digits", ["md:# A small network for digits", NET, CALL])
    lab.run(1)
    lab.run(2)
    lab.trace("net(images)")
    arrange(lab)
    lab.graph.click("conv Conv2d")
    expect(lab.graph.facts).to_contain_text("float32[4, 8, 28, 28]")
    lab.findings.first.evaluate("finding => finding.closest('.tf-Body').scrollTo(0, 0)")
    keep(lab, "panel")


def take_pair(lab: Lab) -> None:
    """Take the graphs of both sides, unfolded to one call."""
    lab.open("gpt", [GPT.strip().replace("GPT(8)", "GPT(3)")])
    lab.command("application:toggle-left-area")
    lab.run(0)
    expect(lab.call).to_have_value("net(ids)")
    lab.button("Compare").click()
    tab = lab.page.locator(".tf-GraphTab:visible")
    expect(tab).to_contain_text("nodes agree", timeout=120_000)
    lab.command("application:toggle-right-area")
    graph = Modules(tab)
    graph.graph.get_by_role("searchbox").fill("blocks.0.mlp.1")
    graph.graph.get_by_role("button", name="blocks.0.mlp.1").click()
    expect(graph.facts).to_contain_text("blocks.0.mlp.1 (GELU)")
    keep(lab, "side-by-side")


def take_report(lab: Lab) -> None:
    """Take a cell that trains on both sides, with its report."""
    lab.open("training", [DATA, TRAIN])
    lab.command("application:toggle-left-area")
    lab.command("application:toggle-right-area")
    lab.run(0)
    lab.run(1)
    expect(lab.cell(1).locator(".tf-card").first).to_contain_text("Same", timeout=120_000)
    lab.page.set_viewport_size({"width": 1100, "height": 1240})
    lab.cell(1).evaluate("cell => cell.scrollIntoView()")
    keep(lab, "comparison")


def arrange(lab: Lab) -> None:
    """Give the panel more room than JupyterLab does, and fold what no picture shows."""
    lab.command("application:toggle-left-area")
    lab.panel.get_by_text("Got it").click()
    for name in ("Notebook", "Comparison", "Values"):
        fold = lab.section(name).get_by_role("button", name=name, exact=True)
        if fold.get_attribute("aria-expanded") == "true":
            fold.click()
    edge = lab.panel.bounding_box()
    assert edge is not None
    lab.page.mouse.move(edge["x"] - 2, 500)
    lab.page.mouse.down()
    lab.page.mouse.move(edge["x"] - 170, 500, steps=4)
    lab.page.mouse.up()


def keep(lab: Lab, name: str) -> None:
    """Take a picture of the page in both themes."""
    for ending, theme in THEMES.items():
        lab.command("apputils:change-theme", theme=theme)
        light = str(theme.endswith("Light")).lower()
        expect(lab.page.locator(f"body[data-jp-theme-light={light}]")).to_be_attached()
        lab.page.mouse.move(5, 500)  # where nothing pops up
        write(lab.page, IMAGES / f"{name}{ending}.png")
    lab.command("apputils:change-theme", theme=THEMES[""])


def write(page: Page, file: Path) -> None:
    """Write a picture with a palette, which is a third of the size."""
    taken = Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
    colours = sorted(taken.getcolors(taken.width * taken.height) or (), reverse=True)
    exact = [part for _, colour in colours[:HALF] for part in colour]
    rare = taken.quantize(HALF, method=Image.Quantize.MAXCOVERAGE).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette(exact + rare[: 3 * HALF])
    taken.quantize(palette=palette, dither=Image.Dither.NONE).save(file, optimize=True)
    print(file)


def open_lab(browser: Browser, server: Server) -> Lab:
    """Return a page with the pictures' size and sharpness."""
    context = browser.new_context(viewport=SIZE, device_scale_factor=SCALE, reduced_motion="reduce")
    context.set_default_timeout(60_000)
    return Lab(context.new_page(), server)


def main() -> None:
    program = find_browser()  # before Playwright runs: it asks Playwright itself
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        try:
            with jupyterlab(Path(place)) as server:
                for take in (take_panel, take_pair, take_report):
                    lab = open_lab(browser, server)
                    take(lab)
                    lab.page.context.close()
                    server.end_kernels()
        finally:
            browser.close()


if __name__ == "__main__":
    main()
