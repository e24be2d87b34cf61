"""How smoothly a large graph moves in JupyterLab's panel, folded and unfolded."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.table import Row

_ROOT = Path(__file__).parents[1]
_STEPS = 120
_PATIENCE = 600_000  # milliseconds

_RESNET50 = """import torch
from torch import nn

class Bottleneck(nn.Module):
    def __init__(self, wide, width, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(wide, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, 4 * width, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(4 * width)
        self.relu = nn.ReLU()
        self.down = nn.Identity()
        if stride > 1 or wide != 4 * width:
            conv = nn.Conv2d(wide, 4 * width, 1, stride, bias=False)
            self.down = nn.Sequential(conv, nn.BatchNorm2d(4 * width))

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.relu(self.bn2(self.conv2(y)))
        return self.relu(self.bn3(self.conv3(y)) + self.down(x))

def stage(wide, width, depth, stride):
    rest = [Bottleneck(4 * width, width, 1) for _ in range(depth - 1)]
    return nn.Sequential(Bottleneck(wide, width, stride), *rest)

class ResNet50(nn.Module):
    def __init__(self):
        super().__init__()
        conv = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.stem = nn.Sequential(conv, nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        self.layer1 = stage(64, 64, 3, 1)
        self.layer2 = stage(256, 128, 4, 2)
        self.layer3 = stage(512, 256, 6, 2)
        self.layer4 = stage(1024, 512, 3, 2)
        self.fc = nn.Linear(2048, 1000)

    def forward(self, x):
        x = self.layer4(self.layer3(self.layer2(self.layer1(self.stem(x)))))
        return self.fc(x.mean((2, 3)))

net = ResNet50().eval()
x = torch.rand(1, 3, 64, 64)
out = net(x)"""

_GPT = """import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn = nn.MultiheadAttention(width, 4, batch_first=True)
        wide = 4 * width
        self.mlp = nn.Sequential(nn.Linear(width, wide), nn.GELU(), nn.Linear(wide, width))

    def forward(self, x):
        y = self.norm1(x)
        x = x + self.attn(y, y, y, need_weights=False)[0]
        return x + self.mlp(self.norm2(x))

class GPT(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.embed = nn.Embedding(100, width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(24))
        self.head = nn.Linear(width, 100)

    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x)

net = GPT().eval()
x = torch.arange(16).reshape(1, 16)
out = net(x)"""

# Milliseconds between frames until the page is stopped.
_RECORD = """() => {
    window.frames_taken = [];
    let last = 0;
    const next = now => {
        if (last) { window.frames_taken.push(now - last); }
        last = now;
        window.frame_asked = requestAnimationFrame(next);
    };
    window.frame_asked = requestAnimationFrame(next);
}"""
_STOP = "() => (cancelAnimationFrame(window.frame_asked), window.frames_taken)"


def rows() -> Iterator[Row]:
    """Yield the frames of graphs of 200 to 10,000 boxes; the peer is the page at rest."""
    from playwright.sync_api import sync_playwright

    from scripts.browser import find_browser

    # The helpers of the browser tests for JupyterLab.
    sys.path[:0] = [str(_ROOT / "tests/e2e/jupyterlab"), str(_ROOT / "tests/e2e"), str(_ROOT)]
    from conftest import jupyterlab
    from lab_page import Lab

    program = find_browser()
    flags = ["--no-sandbox", "--disable-gpu"]
    with (
        tempfile.TemporaryDirectory() as folder,
        jupyterlab(Path(folder)) as server,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=program, args=flags) as browser,
    ):
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        deep = _GPT.replace("range(24)", "range(290)")
        for name, cell, nodes in (
            ("ResNet50", _RESNET50, 200),
            ("GPT of 24 layers", _GPT, 800),
            ("GPT of 290 layers", deep, 10_000),
        ):
            yield from _graph(Lab(page, server), name, cell, nodes)


def _graph(lab: Any, name: str, cell: str, unfolded: int) -> Iterator[Row]:
    """Yield the frames of one model's graph, which has at least this many boxes when unfolded."""
    lab.open(name.replace(" ", "_"), [cell])
    lab.run(0)
    still = _frames(lab, None, "")
    yield Row(f"{name}: a frame of the page at rest", _shown(still))
    lab.page.wait_for_function("field => field.value", arg=lab.call.element_handle())
    lab.panel.get_by_role("button", name="Trace").click()
    graph = lab.graph
    graph.canvas.wait_for(timeout=_PATIENCE)
    canvas = graph.canvas.element_handle()
    for state in ("folded", "unfolded"):
        if state == "unfolded":
            started = time.perf_counter()
            graph.graph.get_by_role("button", name="Unfold", exact=True).click()
            drawn = f"canvas => canvas._cyreg.cy.nodes().length >= {unfolded}"
            lab.page.wait_for_function(drawn, arg=canvas, timeout=_PATIENCE)
            yield Row(f"{name}: unfolding", f"{time.perf_counter() - started:.2f} s")
        for kind in ("pan", "zoom"):
            frames = _frames(lab, canvas, kind)
            nodes = len(graph.nodes())
            ratio = _median(still) / _median(frames)
            label = f"{name}: {state}, {nodes} boxes, {kind}"
            yield Row(label, _shown(frames), ratio, "a frame of the page")


def _frames(lab: Any, canvas: Any, kind: str) -> list[float]:
    """Return the sorted milliseconds of all frames while the graph is dragged or zoomed."""
    mouse = lab.page.mouse
    if canvas is not None:
        box = canvas.bounding_box()
        x, y = box["x"] + 12, box["y"] + box["height"] / 2  # facts cover the lower end
        mouse.move(x, y)
    if kind == "pan":
        mouse.down()
    here = _view(lab, canvas)
    lab.page.evaluate(_RECORD)
    for step in range(_STEPS):
        back = 1 if step < _STEPS / 2 else -1
        if kind == "pan":
            y -= 3 * back
            mouse.move(x, y)
        elif kind == "zoom":
            mouse.wheel(0, 12 * back)
        lab.page.wait_for_timeout(10)
        if step == _STEPS // 2:
            there = _view(lab, canvas)
    taken: list[float] = lab.page.evaluate(_STOP)
    if kind == "pan":
        mouse.up()
    if kind and here == there:
        raise RuntimeError(f"the graph did not follow: {kind}")
    return sorted(taken)


def _view(lab: Any, canvas: Any) -> Any:
    return lab.page.evaluate("c => c && [c._cyreg.cy.pan(), c._cyreg.cy.zoom()]", canvas)


def _shown(frames: list[float]) -> str:
    return f"p50 {_median(frames):.1f} ms, p95 {frames[len(frames) * 95 // 100]:.1f} ms"


def _median(frames: list[float]) -> float:
    return frames[len(frames) // 2]
