"""Projects of several files, converted to JAX: what one file makes, another one calls."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.workbench.convert.project.project_tree import write
from workbench.convert.configuration.settings import settings_for
from workbench.convert.project.file_job import Order
from workbench.convert.project.runner import convert_path

FILES = {
    "net/__init__.py": "from .blocks import Block\nfrom .model import Wide\n",
    "net/blocks.py": """\
        import torch
        from torch import nn

        class Base(nn.Module):
            def __init__(self, width=4):
                super().__init__()
                self.first = nn.Linear(width, width)

            def forward(self, x):
                return torch.relu(self.first(x))

        class Block(Base):
            def forward(self, x):
                return x + super().forward(x)

        class Scale(nn.Module):
            def __init__(self, factor):
                super().__init__()
                self.factor = factor

            def forward(self, x):
                return x * self.factor
        """,
    "net/model.py": """\
        import torch
        from torch import nn
        from net import blocks
        from net.blocks import Block, Scale

        class Wide(Block):
            def __init__(self, count=2):
                super().__init__(4)
                self.rest = nn.ModuleList([Block() for _ in range(count)])
                self.scale = Scale(0.5)
                self.last = blocks.Base(width=4)

            def forward(self, x):
                x = super().forward(x)
                for block in self.rest:
                    x = block.forward(x)
                return self.scale(self.last(x))
        """,
    "requirements.txt": "torch>=2.0  # CPU\nnumpy\n",
    "train.py": """\
        import torch
        from net import Wide

        torch.manual_seed(0)
        model = Wide(3)
        x = torch.arange(8.0).reshape(2, 4)
        with torch.no_grad():
            print(tuple(model(x).shape), len(model.rest))
        """,
}


def test_keys_reach_the_layers_of_other_files(tmp_path: Path) -> None:
    source = write(tmp_path / "in", FILES)
    settings = settings_for(source)
    report = convert_path(source, tmp_path / "out", Order("jax", settings), workers=1)
    assert report.total("uses") == report.total("converted_uses")
    out = tmp_path / "out"
    model = (out / "net/model.py").read_text()
    assert "def __init__(self, count=2, *, rngs):" in model
    assert "super().__init__(4, rngs=rngs)" in model
    assert "Block(rngs=rngs) for _ in range(count)" in model
    assert "Scale(0.5, rngs=rngs)" in model
    assert "blocks.Base(width=4, rngs=rngs)" in model
    train = (out / "train.py").read_text()
    assert "model = Wide(3, rngs=rngs)" in train
    assert "import torch" not in train
    assert (out / "requirements.txt").read_text() == "flax>=0.12  # CPU\nnumpy\n"
    run = subprocess.run(
        [sys.executable, "train.py"],
        cwd=out,
        env={**os.environ, "JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout == "(2, 4) 3\n", run.stderr
