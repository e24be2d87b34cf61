"""`torchferry verify` for ports to torch: the original is a Paddle or a flax file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from workbench.cli import cli
from workbench.commands import options
from workbench.errors import TorchferryError

TORCH = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, x):
        return torch.tanh(self.fc(x)) * 1.0
"""
PADDLE = """\
import paddle
from paddle import nn

class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, x):
        return paddle.tanh(self.fc(x)) * 1.0
"""
FLAX = """\
import jax.numpy as jnp
from flax import nnx

class Net(nnx.Module):
    def __init__(self, rngs):
        self.fc = nnx.Linear(3, 2, rngs=rngs)

    def __call__(self, x):
        return jnp.tanh(self.fc(x)) * 1.0
"""
STEPS = """\
net = nn.Linear(3, 2)
optimizer = {optimizer}
for step in range(5):
    loss = (net({full}((4, 3), 0.1 * step)) ** 2).mean()
    optimizer.{clear}()
    loss.backward()
    optimizer.step()
"""


@pytest.fixture
def verify(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Runs the command in this process, on two texts."""

    def here(work: Any, *args: Any, patience: float) -> Any:
        return work(*args, lambda what: None)

    monkeypatch.setattr(options, "watched", here)

    def call(original: str, port: str, *arguments: str, name: str = "") -> Result:
        sides = []
        for stem, text in (("first", original), ("second", port)):
            file = tmp_path / f"{stem}_to_torch.py"
            file.write_text(text)
            sides.append(f"{file}{name}")
        return CliRunner().invoke(cli, ["verify", *sides, *arguments])

    return call


@pytest.mark.parametrize("original", [PADDLE, FLAX])
def test_a_torch_port_is_certified(original: str, verify: Any, tmp_path: Path) -> None:
    place = tmp_path / "certificate.json"
    found = verify(original, TORCH, "-i", "4x3", "--json", str(place), name=":Net")
    assert found.exit_code == 0, found.output
    sides = json.loads(place.read_text())["sides"]
    assert sides["original"]["place"].endswith("first_to_torch.py:Net")
    assert sides["port"]["place"].endswith("second_to_torch.py:Net")


def test_the_line_of_a_torch_port_that_differs_is_named(verify: Any) -> None:
    wrong = TORCH.replace("* 1.0", "* 2.0")
    found = verify(PADDLE, wrong, "-i", "4x3", name=":Net")
    assert found.exit_code == 1
    assert "second_to_torch.py:10" in found.output.splitlines()[-1]
    assert "first_to_torch.py:10" in found.output.splitlines()[-1]


def test_the_roles_of_two_scripts_are_exchanged(verify: Any) -> None:
    ours = STEPS.format(
        optimizer="torch.optim.SGD(net.parameters(), lr=0.1)", full="torch.full", clear="zero_grad"
    )
    theirs = STEPS.format(
        optimizer="paddle.optimizer.SGD(0.2, parameters=net.parameters())",
        full="paddle.full",
        clear="clear_grad",
    )
    found = verify(
        f"import paddle\nfrom paddle import nn\n{theirs}",
        f"import torch\nfrom torch import nn\n{ours}",
        "--steps",
        "3",
    )
    assert found.exit_code == 1
    assert "the learning rate is 0.2 in the original and 0.1 in the port" in found.output


def test_a_port_that_stayed_torch_is_still_refused(verify: Any) -> None:
    found = verify(TORCH, TORCH, "-i", "4x3", name=":Net")
    assert isinstance(found.exception, TorchferryError)
    assert "imports no target" in str(found.exception)
