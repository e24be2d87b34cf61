"""Takes the pictures of the extension's page, in the real workbench: `make shots`.

They are what a user sees of a small program: fixes, the findings as a tree, a report, a graph.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Locator, expect, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import extension_standins
from vscode_install import CLIENT, install
from vscode_page import START_MS, Workbench
from vscode_server import WorkbenchServer

from scripts.browser import find_browser
from tests.e2e.conftest import FLAGS

SHOTS = CLIENT / "images" / "shots"
SIZE = {"width": 1120, "height": 700}
EDITORS = ".part.editor"

NET = '''\
"""A small model."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    """A convolution, and a head on what it finds."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.head = nn.Linear(8, 10)

    def forward(self, x: torch.Tensor):
        x = F.relu(self.conv(x))
        return self.head(x.mean(dim=(2, 3)))


def step(net: Net, x: torch.Tensor, y: torch.Tensor):
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    return loss
'''
DATA = """\
import torch
from torch.utils.data import DataLoader, TensorDataset


def loader(count: int):
    images = torch.randn(count, 3, 16, 16)
    labels = torch.randint(0, 10, (count,))
    order = torch.no_such_thing(labels)
    pairs = TensorDataset(images[order], labels[order])
    return DataLoader(pairs, batch_size=8, shuffle=True)
"""


def take(window: Workbench, folder: Path) -> None:
    """Go through what the pictures show."""
    page = window.page
    tree = window.side_view("Torchferry")
    tree.locator(".monaco-list-row").first.wait_for(timeout=START_MS)
    window.open_file("net.py")
    window.expect_any_squiggle(START_MS)
    rows = tree.locator(".monaco-list-row")
    rows.filter(has_text="data.py").first.click()
    rows.filter(has_text="torch.no_such_thing").first.click()
    keep("tree", page.locator("body"))

    window.open_file("net.py")
    page.keyboard.press("Control+B")  # no sidebar
    window.go_to(line_of("self.head = "), 24)
    window.menu("Convert torch.nn.Linear to paddle.nn.Linear")
    keep("fixes", page.locator(EDITORS))
    page.keyboard.press("Escape")

    window.ask("Torchferry: Show the Graph of the Model at the Cursor", "1x3x16x16")
    graph = window.page_shown()
    graph.locator(".graph-node", has_text="conv2d").first.wait_for(timeout=START_MS)
    keep("graph", page.locator(EDITORS))
    window.tidy()

    window.open_file("net.py")
    window.ask("Torchferry: Convert the Workspace…", str(folder.parent / "net-paddle"))
    report = window.page_shown().locator("main")
    report.get_by_text("uses of torch converted").first.wait_for(timeout=START_MS)
    window.messages.first.wait_for()
    window.command("Notifications: Clear All Notifications")
    keep("report", page.locator(EDITORS))


def line_of(text: str) -> int:
    return NET[: NET.index(text)].count("\n") + 1


def keep(name: str, part: Locator) -> None:
    part.page.mouse.move(5, 5)  # where nothing pops up
    expect(part.page.locator(".monaco-hover:visible")).to_have_count(0)
    part.screenshot(path=SHOTS / f"{name}.png", animations="disabled")
    print(SHOTS / f"{name}.png")


def main() -> None:
    node, code_server, vsix = install()
    program = find_browser()  # before Playwright runs: it asks Playwright itself
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        folder = Path(place, "port")
        folder.mkdir()
        (folder / "net.py").write_text(NET)
        (folder / "data.py").write_text(DATA)
        server = WorkbenchServer(node, code_server, Path(place))
        selected = {"python.defaultInterpreterPath": sys.executable}
        server.configure({**selected, "editor.minimap.enabled": False})
        server.install(extension_standins.python(Path(place)), vsix)
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        try:
            server.start("--disable-workspace-trust")
            page = browser.new_context(viewport=SIZE).new_page()
            take(Workbench(page, server.address(folder)), folder)
        finally:
            browser.close()
            server.stop()


if __name__ == "__main__":
    main()
