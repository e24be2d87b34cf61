"""Checkpoints as a whole, written for plain Paddle programs and read back for torch."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import paddle
import pytest
import torch
from click.testing import CliRunner
from torch import nn

from workbench.cli import cli
from workbench.errors import TorchferryError
from workbench.weights import WeightsError
from workbench.weights.whole_files import write

paddle.disable_signal_handler()
_paddle: Any = paddle

PROGRAM = """
import paddle
import paddle.nn as nn
from parts import Head

class Block(nn.Layer):
    def __init__(self, d):
        super().__init__()
        self.qkv = paddle.compat.nn.Linear(d, d)
        self.mlp = nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, d))

def stack(d):
    layers = []
    for _ in range(2):
        layers.append(nn.Linear(d, d))
        layers += [nn.BatchNorm1D(d), nn.ReLU()]
    return nn.Sequential(*layers)

class Net(nn.Layer):
    def __init__(self, d=4):
        super().__init__()
        self.tokens = nn.LayerDict(dict(wte=nn.Embedding(10, d)))
        self.blocks = nn.LayerList([Block(d) for _ in range(2)])
        self.stack = stack(d)
        self.rnn = nn.LSTM(d, d, time_major=True, direction="bidirect")
        self.head = Head(d)
        self.norm, self.last = nn.InstanceNorm2D(d), nn.LayerNorm(d)
        self.scale = self.create_parameter([d])

    def forward(self, x):
        y, _ = self.rnn(self.tokens["wte"](x))
        y = y[..., :4]
        for block in self.blocks:
            y = block.mlp(block.qkv(y))
        return self.head(self.stack(y[0])) * self.scale
"""
PARTS = """
import paddle.nn as nn

class Head(nn.Sequential):
    def __init__(self, d):
        super().__init__(nn.Linear(d, d))
"""


class Block(nn.Module):
    def __init__(self, d: int) -> None:
        super().__init__()
        self.qkv = nn.Linear(d, d)
        self.mlp = nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, d))


class Net(nn.Module):
    def __init__(self, d: int = 4) -> None:
        super().__init__()
        self.tokens = nn.ModuleDict({"wte": nn.Embedding(10, d)})
        self.blocks = nn.ModuleList([Block(d) for _ in range(2)])
        parts = [p for _ in range(2) for p in (nn.Linear(d, d), nn.BatchNorm1d(d), nn.ReLU())]
        self.stack = nn.Sequential(*parts)
        self.rnn = nn.LSTM(d, d, bidirectional=True)
        self.head = nn.Sequential(nn.Linear(d, d))
        self.norm, self.last = nn.InstanceNorm2d(d, affine=True), nn.LayerNorm(d)
        self.scale = nn.Parameter(torch.randn(d))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y, _ = self.rnn(self.tokens["wte"](x))
        y = y[..., :4]
        for block in self.blocks:
            y = block.mlp(block.qkv(y))
        return self.head(self.stack(y[0])) * self.scale


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "parts.py").write_text(PARTS)
    path = tmp_path / "net.py"
    path.write_text(PROGRAM)
    return path


@pytest.fixture
def model() -> Net:
    torch.manual_seed(0)
    made = Net().eval()
    for name, value in made.named_buffers():
        if value.is_floating_point():
            value.uniform_(0.5, 1.5) if "var" in name else value.normal_()
    return made


def loaded(program: Path, state: Any) -> Any:
    names: dict[str, Any] = {"__name__": "net"}
    sys.path.insert(0, str(program.parent))
    try:
        exec(compile(program.read_text(), str(program), "exec"), names)
    finally:
        sys.path.remove(str(program.parent))
        sys.modules.pop("parts", None)
    net = names["Net"]()
    net.load_state_dict(state)
    net.eval()
    return net


@pytest.mark.parametrize("how", ["", ":Net", ":Net(d=4)"])
def test_a_checkpoint_comes_over_whole_and_back(
    how: str, program: Path, model: Net, tmp_path: Path
) -> None:
    optimizer = torch.optim.Adam(model.parameters())
    held = {
        "model": model.state_dict(),
        "best_val_loss": torch.tensor(0.5),
        "epoch": 3,
        "config": {"name": "net", "sizes": (4, 4), "shape": torch.Size([2])},
        "optimizer": optimizer.state_dict(),
    }
    torch.save(held, tmp_path / "ckpt.pt")
    done = write(tmp_path / "ckpt.pt", tmp_path / "ckpt.pdparams", program=f"{program}{how}")
    assert not done.left
    assert "optimizer" in done.notes
    found = _paddle.load(str(tmp_path / "ckpt.pdparams"))
    assert found["epoch"] == 3
    assert float(found["best_val_loss"]) == 0.5
    assert found["config"] == {"name": "net", "sizes": (4, 4), "shape": [2]}
    net = loaded(program, found["model"])
    x = torch.tensor([[1, 2, 3], [4, 5, 6]])
    ours, theirs = model(x), net(paddle.to_tensor(x.numpy()))
    torch.testing.assert_close(torch.from_dlpack(theirs.detach()), ours)

    _paddle.save({"model": net.state_dict(), "epoch": 4}, str(tmp_path / "again.pdparams"))
    write(tmp_path / "again.pdparams", tmp_path / "again.pt", program=f"{program}{how}")
    again = torch.load(tmp_path / "again.pt", weights_only=True)
    assert again["epoch"] == 4
    model.load_state_dict(again["model"])  # strict: all of torch's names, and no other
    torch.testing.assert_close(model(x), ours)


def test_without_a_program_all_stays_as_torch_has_it(model: Net, tmp_path: Path) -> None:
    torch.save({"state_dict": model.state_dict(), "epoch": 1}, tmp_path / "net.pt")
    write(tmp_path / "net.pt", tmp_path / "net.pdparams")
    found = _paddle.load(str(tmp_path / "net.pdparams"))
    assert set(found["state_dict"]) == set(model.state_dict())


def test_a_class_that_the_text_leaves_open_is_reported(model: Net, tmp_path: Path) -> None:
    code = tmp_path / "open.py"
    code.write_text(
        "import paddle, paddle.nn as nn\nclass Net(nn.Layer):\n    def __init__(self, kind):\n"
        "        super().__init__()\n        own = kind == 'own'\n"
        "        self.a = nn.Linear(4, 4) if own else paddle.compat.nn.Linear(4, 4)\n"
    )
    torch.save({"a.weight": torch.randn(4, 4), "a.bias": torch.zeros(4)}, tmp_path / "net.pt")
    with pytest.raises(TorchferryError, match=r"a\.weight may belong .* --for FILE:NAME"):
        write(tmp_path / "net.pt", tmp_path / "net.pdparams", program=str(code))
    assert not (tmp_path / "net.pdparams").exists()
    torch.save({"a.weight": torch.randn(4, 4), "b.bias": torch.zeros(4)}, tmp_path / "net.pt")
    with pytest.raises(TorchferryError, match=r"no layer found that has b\.bias"):
        write(tmp_path / "net.pt", tmp_path / "net.pdparams", program=f"{code}:Net('own')")

    torch.save({"other.weight": torch.randn(4, 4)}, tmp_path / "net.pt")
    with pytest.raises(WeightsError, match=r"open\.py: creates no layer"):
        write(tmp_path / "net.pt", tmp_path / "net.pdparams", program=str(code))


class Trap:
    def __reduce__(self) -> Any:
        return (Path.touch, (Path("trap-was-sprung"),))


def test_hostile_and_broken_files_of_paddles(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("trap.pdparams").write_bytes(pickle.dumps({"a": np.ones(2), "trap": Trap()}))
    with pytest.raises(WeightsError, match=r"trap\.pdparams: contains more than weights"):
        write(Path("trap.pdparams"), Path("out.pt"))
    objects = np.array([1, "a"], dtype=object)
    Path("objects.pdparams").write_bytes(pickle.dumps({"a": objects}))
    whole = pickle.dumps({"a": np.ones(100)}, protocol=4)
    Path("cut.pdparams").write_bytes(whole[: len(whole) // 2])
    deep: Any = []
    for _ in range(200):
        deep = [deep, deep]  # as many paths through it as there are atoms
    Path("deep.pdparams").write_bytes(pickle.dumps(deep))
    for name in ("objects", "cut", "deep"):
        with pytest.raises(WeightsError, match=rf"{name}\.pdparams: not a complete"):
            write(Path(f"{name}.pdparams"), Path("out.pt"))
    with pytest.raises(WeightsError, match="no such file"):
        write(Path("none.pdparams"), Path("out.pt"))
    assert not Path("trap-was-sprung").exists()
    assert not Path("out.pt").exists()


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_files_of_paddle_are_read(protocol: int, tmp_path: Path) -> None:
    held = {
        "f": _paddle.to_tensor([1.5, 2.5]),
        "h": _paddle.to_tensor([1.5]).astype("bfloat16"),
        "i": [_paddle.to_tensor([[1, 2]])],
        "b": _paddle.to_tensor([True]),
        "n": 3,
    }
    _paddle.save(held, str(tmp_path / "a.pdparams"), protocol=protocol)
    write(tmp_path / "a.pdparams", tmp_path / "a.pt")
    found = torch.load(tmp_path / "a.pt", weights_only=True)
    assert found["f"].tolist() == [1.5, 2.5]
    assert found["h"].dtype is torch.bfloat16
    assert found["h"].item() == 1.5
    assert found["i"][0].tolist() == [[1, 2]]
    assert found["b"].tolist() == [True]
    assert found["n"] == 3


def test_the_command_line_writes_for_a_program(program: Path, model: Net, tmp_path: Path) -> None:
    torch.save(model.state_dict(), tmp_path / "net.pt")
    out = tmp_path / "net.pdparams"
    arguments = ["weights", str(tmp_path / "net.pt"), "-o", str(out), "--for", str(program)]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    loaded(program, _paddle.load(str(out)))
