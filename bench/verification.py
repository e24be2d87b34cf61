"""Time and memory, without the weights, to verify a port of 50 million parameters."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.table import Row

_ORIGINAL = """\
import torch
from torch import nn

example_inputs = (torch.randn(2, 8, 512),)


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.ln = nn.LayerNorm(d)
        self.up = nn.Linear(d, 4 * d)
        self.down = nn.Linear(4 * d, d)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.ln(x))))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block(512) for _ in range(24))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x
"""
# Each word of the original with the port's.
_WORDS = (
    ("import torch\nfrom torch", "import paddle\nfrom paddle"),
    ("example_inputs = (torch.randn(2, 8, 512),)\n\n\n", ""),
    ("nn.Module)", "nn.Layer)"),
    ("nn.ModuleList(Block(512) for _ in range(24))", "nn.LayerList(Block(512) for _ in range(24))"),
    ("torch.relu", "nn.functional.relu"),
)
_PORT = reduce(lambda text, words: text.replace(*words), _WORDS, _ORIGINAL)
# A separate process, which prints its memory in excess of both frameworks.
_MEASURED = """\
import json, sys, threading, time
import paddle, torch
from workbench.verify.sides.task import Asked
from workbench.verify.verification import verify_files


def held():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon"))


before, most, done = held(), 0, threading.Event()


def watch():
    global most
    while not done.wait(0.01):
        most = max(most, held())


threading.Thread(target=watch, daemon=True).start()
began = time.perf_counter()
found = verify_files("original.py:Net", "port.py:Net", Asked(), report=lambda _: None)
done.set()
weights = 4 * sum(p.numel() for p in __import__("original").Net().parameters())
print(json.dumps([found.certified, time.perf_counter() - began, 1024 * (most - before) / weights]))
"""


def rows() -> Iterator[Row]:
    """Yield the seconds of a verification, and its memory as a multiple of its weights."""
    with TemporaryDirectory() as folder:
        Path(folder, "original.py").write_text(_ORIGINAL)
        Path(folder, "port.py").write_text(_PORT)
        run = subprocess.run(
            [sys.executable, "-c", _MEASURED],
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        )
    certified, seconds, times = json.loads(run.stdout.strip().splitlines()[-1])
    what = "a port of 50 M parameters verified" + ("" if certified else ", and refused")
    yield Row(what, f"{seconds:.0f} s", budget="60 s")
    yield Row("memory beside its weights", f"{times:.1f} x", budget="3 x")
