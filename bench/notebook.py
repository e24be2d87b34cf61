"""The overhead of `%%convert` over running the two sides."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

from bench.table import Row

_RUNS = 15
_IMPORTS = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
# 50 lines as in a notebook: a class, a training step, arithmetic.
_CELL = (
    """class Net(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.first = nn.Linear(16, width)
        self.second = nn.Linear(width, width)
        self.head = nn.Linear(width, 4)

    def forward(self, x):
        x = F.relu(self.first(x))
        x = F.gelu(self.second(x))
        return self.head(x)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
x = torch.randn(8, 16)
y = torch.randint(4, (8,))
for step in range(3):
    optimizer.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    optimizer.step()
    print(f"{step}: {loss.item():.4f}")
"""
    + "\n".join(f"v{i} = torch.tanh(x * {i + 1}).sum(dim=1)" for i in range(25))
    + "\n"
)


_LINE = "scaled = torch.tanh(torch.arange(6.0).reshape(2, 3))\n"


def rows() -> Iterator[Row]:
    """Yield the median overhead of a 50-line cell and of one line, and its conversion part."""
    yield from _overhead(_CELL, "150 ms")
    yield from _overhead(_LINE, "15 ms")


def _overhead(cell: str, budget: str) -> Iterator[Row]:
    from workbench.compare.cells.session import Session

    names: dict[str, Any] = {"__name__": "__main__"}
    session = Session(names, earlier=lambda: [_IMPORTS])
    exec(_IMPORTS, names)
    overheads, conversions = [], []
    for _ in range(_RUNS + 1):
        start = time.perf_counter()
        conversion = session.convert(cell)
        conversions.append(time.perf_counter() - start)
        with redirect_stdout(StringIO()):
            comparison = session.run(cell, conversion)
        whole = time.perf_counter() - start
        overheads.append(whole - comparison.torch.seconds - comparison.target.seconds)
        assert comparison.same, str(comparison)
    # The first run loads the rules and both frameworks' kernels.
    lines = cell.count("\n")
    yield Row(
        f"%%convert beyond running both sides, {lines} line{'s' if lines > 1 else ''}",
        f"{statistics.median(overheads[1:]) * 1e3:.0f} ms, first {overheads[0] * 1e3:.0f} ms",
        budget=budget,
    )
    shown = f"{statistics.median(conversions[1:]) * 1e3:.0f} ms"
    yield Row("  of which the conversion", shown)
