"""Weights carried by the pairs of a certificate, to hand-written ports and back, bit by bit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import paddle
import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.command import torchferry
from workbench.targets.port import load_ports
from workbench.verify import mapped_weights
from workbench.verify.mapped_weights import write_mapped
from workbench.verify.paired import paired
from workbench.verify.recorded_weights import record
from workbench.verify.sides.loading import load
from workbench.verify.sides.places import Births
from workbench.verify.sides.sides import Sides
from workbench.verify.sides.task import Asked, task_of

PORTS = Path(__file__).parent / "ports"
NAMES = (
    *("gpt", "llama", "packed", "vit", "encoder", "decoder"),
    *("unet", "convnext", "mlp", "window", "tagger", "seq"),
)


def certificate(original: str, port: str, target: str = "paddle", *inputs: str) -> dict[str, Any]:
    """Return what a certificate has for weights, without running its checks."""
    ports, births = load_ports(target), Births()
    ours = load(original, torch.nn.Module, births, torch.optim.Optimizer)
    theirs = load(port, ports.module_kind, births, ports.optimizer_kind, ports.needs)
    model, twin = ours.make(), theirs.make()
    sides = Sides(model, twin, task_of(Asked(inputs=inputs), ours, theirs, model), ports)
    pairs = paired(sides, ()).pairs
    places = {"original": {"place": original}, "port": {"place": port}}
    return {
        "pairs": [str(pair) for pair in pairs],
        "sides": places,
        "target": target,
        "asked": {},
        "checks": [],
        "weights": json.loads(json.dumps(record(model, twin, pairs, ports))),
    }


def saved(original: str, place: Path) -> dict[str, torch.Tensor]:
    """Write a checkpoint of the original with weights of its own."""
    model = load(original, torch.nn.Module, Births(), torch.optim.Optimizer).make()
    g = torch.Generator().manual_seed(3)
    state: dict[str, torch.Tensor] = model.state_dict()
    for value in state.values():
        if value.is_floating_point():  # tied tensors stay tied
            value.copy_(torch.rand(value.shape, generator=g) / 2 + 0.1)
    torch.save(state, place)
    return state


@pytest.mark.parametrize("name", NAMES)
def test_a_certificate_alone_converts_as_the_models_do(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, port = f"{PORTS}/{name}_torch.py:Net", f"{PORTS}/{name}_port.py:Net"
    held = certificate(original, port)
    earlier = {key: value for key, value in held.items() if key != "weights"}
    state = saved(original, tmp_path / "net.pt")
    places = [tmp_path / f"{number}.safetensors" for number in range(4)]
    by_models = write_mapped(tmp_path / "net.pt", places[0], earlier)
    back_by_models = write_mapped(places[0], places[1], earlier)
    monkeypatch.setattr(mapped_weights, "_models", lambda *_: pytest.fail("a model was built"))
    assert write_mapped(tmp_path / "net.pt", places[2], held) == by_models
    assert write_mapped(places[2], places[3], held) == back_by_models
    for first, second in ((places[0], places[2]), (places[1], places[3])):
        ours, theirs = load_file(first), load_file(second)
        assert ours.keys() == theirs.keys()
        assert all(torch.equal(value, theirs[key]) for key, value in ours.items())
        assert all(value.dtype == theirs[key].dtype for key, value in ours.items())
    assert load_file(places[3]).keys() == state.keys()


@pytest.mark.parametrize("name", NAMES)
def test_a_checkpoint_goes_to_a_port_and_back(name: str, tmp_path: Path) -> None:
    original, port = f"{PORTS}/{name}_torch.py:Net", f"{PORTS}/{name}_port.py:Net"
    held = certificate(original, port)
    state = saved(original, tmp_path / "net.pt")
    there = write_mapped(tmp_path / "net.pt", tmp_path / "port.pdparams", held)
    assert there.rows and not there.left
    back = write_mapped(tmp_path / "port.pdparams", tmp_path / "again.pt", held)
    again = torch.load(tmp_path / "again.pt")
    assert again.keys() == state.keys()
    changed = [name for name, value in state.items() if not torch.equal(value, again[name])]
    # Only a sum does not come back, and what no forward pass needs.
    summed = {part for note in back.notes for part in note.split(" + ")}
    assert set(changed) <= summed


@pytest.mark.parametrize(("momentum", "left"), [("0.1", []), ("None", ["1.num_batches_tracked"])])
def test_the_count_of_batches_is_left_out_where_nothing_uses_it(
    tmp_path: Path, momentum: str, left: list[str]
) -> None:
    norm = f"BatchNorm1d(3, momentum={momentum})"
    (tmp_path / "a.py").write_text(
        f"from torch import nn\nNet = lambda: nn.Sequential(nn.Linear(3, 3), nn.{norm})\n"
    )
    (tmp_path / "b.py").write_text(
        "from paddle import nn\nNet = lambda: nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1D(3))\n"
    )
    original, port = f"{tmp_path}/a.py:Net", f"{tmp_path}/b.py:Net"
    held = certificate(original, port, "paddle", "2x3")
    model = load(original, torch.nn.Module, Births(), torch.optim.Optimizer).make()
    model(torch.ones(2, 3))  # counted
    torch.save(model.state_dict(), tmp_path / "net.pt")
    found = write_mapped(tmp_path / "net.pt", tmp_path / "port.pdparams", held)
    assert list(found.left) == left
    assert ("1.num_batches_tracked" in found.notes) == (not left)


def test_the_port_computes_with_the_converted_checkpoint(tmp_path: Path) -> None:
    original, port = f"{PORTS}/gpt_torch.py:Net", f"{PORTS}/gpt_port.py:Net"
    held = certificate(original, port)
    state = saved(original, tmp_path / "net.pt")
    write_mapped(tmp_path / "net.pt", tmp_path / "port.pdparams", held)
    ports = load_ports("paddle")
    ours = load(original, torch.nn.Module, Births(), torch.optim.Optimizer)
    theirs = load(port, ports.module_kind, Births(), ports.optimizer_kind, ports.needs).make()
    model = ours.make()
    model.load_state_dict(state)
    theirs.set_state_dict(paddle.load(str(tmp_path / "port.pdparams")))
    model.eval()
    theirs.eval()
    ids = torch.randint(0, 11, (2, 5))
    with torch.no_grad():
        wanted = model(ids)
    got = theirs(paddle.to_tensor(ids.numpy()))
    assert torch.allclose(torch.from_numpy(got.numpy()), wanted, rtol=1e-4, atol=1e-4)


TORCH = """
from torch import nn

class Net(nn.Module):
    def __init__(self, width=3):
        super().__init__()
        self.q = nn.Linear(4, width, bias=False)
        self.k = nn.Linear(4, width, bias=False)
        self.out = nn.Linear(width, 2)
    def forward(self, x):
        return self.out(self.q(x) * self.k(x))
"""
PADDLE = """
import paddle
from paddle import nn

class Net(nn.Layer):
    def __init__(self, width=3):
        super().__init__()
        self.qk = nn.Linear(4, 2 * width, bias_attr=False)
        self.last = nn.Linear(width, 2)
    def forward(self, x):
        q, k = self.qk(x).chunk(2, -1)
        return self.last(q * k)
"""
FLAX = """
import jax.numpy as jnp
from flax import nnx

class Net(nnx.Module):
    def __init__(self, rngs):
        self.qk = nnx.Linear(4, 6, use_bias=False, rngs=rngs)
        self.last = nnx.Linear(3, 2, rngs=rngs)
    def __call__(self, x):
        q, k = jnp.split(self.qk(x), 2, -1)
        return self.last(q * k)
"""


@pytest.fixture
def sides(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "fused_torch.py").write_text(TORCH)
    (tmp_path / "fused_paddle.py").write_text(PADDLE)
    return f"{tmp_path}/fused_torch.py:Net", f"{tmp_path}/fused_paddle.py:Net"


def test_a_flax_port_is_written_and_read(tmp_path: Path, sides: tuple[str, str]) -> None:
    pytest.importorskip("flax")
    (tmp_path / "fused_flax.py").write_text(FLAX)
    held = certificate(sides[0], f"{tmp_path}/fused_flax.py:Net", "jax", "5x4")
    state = saved(sides[0], tmp_path / "net.pt")
    write_mapped(tmp_path / "net.pt", tmp_path / "port.safetensors", held)
    write_mapped(tmp_path / "port.safetensors", tmp_path / "again.safetensors", held)
    write_mapped(tmp_path / "port.safetensors", tmp_path / "again.pt", held)
    again = torch.load(tmp_path / "again.pt")
    assert all(torch.equal(value, again[name]) for name, value in state.items())
    safe = load_file(tmp_path / "again.safetensors")
    assert all(torch.equal(value, safe[name]) for name, value in state.items())


@pytest.mark.parametrize("given", ["model.safetensors.index.json", ""])
def test_a_sharded_checkpoint_is_given_by_its_index_or_its_folder(
    tmp_path: Path, sides: tuple[str, str], given: str
) -> None:
    held, state = certificate(*sides, "paddle", "5x4"), saved(sides[0], tmp_path / "net.pt")
    folder = tmp_path / "shards"
    folder.mkdir()
    places = {name: f"{number % 2}.safetensors" for number, name in enumerate(state)}
    for shard in set(places.values()):
        part = {name: value for name, value in state.items() if places[name] == shard}
        save_file(part, folder / shard)
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {}, "weight_map": places}))
    write_mapped(folder / given, tmp_path / "port.safetensors", held)
    write_mapped(tmp_path / "net.pt", tmp_path / "whole.safetensors", held)
    ours, whole = (load_file(tmp_path / f"{name}.safetensors") for name in ("port", "whole"))
    assert all(torch.equal(value, ours[name]) for name, value in whole.items())


DEEP = """
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.up = nn.Linear(d, 2 * d)
        self.down = nn.Linear(2 * d, d, bias=False)
    def forward(self, x):
        return x + self.down(torch.tanh(self.up(self.norm(x))))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(4, 6)
        self.blocks = nn.ModuleList([Block(6) for _ in range(3)])
    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = block(x)
        return x
"""
SCANNED = """
import jax.numpy as jnp
from flax import nnx

class Block(nnx.Module):
    def __init__(self, d, rngs):
        self.norm = nnx.LayerNorm(d, epsilon=1e-5, rngs=rngs)
        self.up = nnx.Linear(d, 2 * d, rngs=rngs)
        self.down = nnx.Linear(2 * d, d, use_bias=False, rngs=rngs)
    def __call__(self, x):
        return x + self.down(jnp.tanh(self.up(self.norm(x))))

class Net(nnx.Module):
    def __init__(self, rngs):
        self.embed = nnx.Linear(4, 6, rngs=rngs)
        @nnx.split_rngs(splits=3)
        @nnx.vmap(in_axes=(0,), out_axes=0)
        def make(rngs):
            return Block(6, rngs)
        self.blocks = make(rngs)
    def __call__(self, x):
        @nnx.scan(in_axes=(0, nnx.Carry), out_axes=nnx.Carry)
        def run(block, x):
            return block(x)
        return run(self.blocks, self.embed(x))
"""
SQUARE = {"2 * d": "d"}
RENAMED = {"self.blocks": "self.layers", "self.norm": "self.ln"}
NUMBERED = {"self.up": "self.fc1", "self.down": "self.fc2"}


@pytest.mark.parametrize(
    ("both", "port"), [({}, {}), ({}, RENAMED), (SQUARE, {}), (SQUARE, {**RENAMED, **NUMBERED})]
)
def test_scanned_layers_of_flax_take_the_tensors_of_their_names(
    tmp_path: Path, both: dict[str, str], port: dict[str, str]
) -> None:
    pytest.importorskip("flax")
    for name, text, changes in (("a", DEEP, both), ("b", SCANNED, {**both, **port})):
        for old, new in changes.items():
            text = text.replace(old, new)
        (tmp_path / f"{name}.py").write_text(text)
    original = f"{tmp_path}/a.py:Net"
    held = certificate(original, f"{tmp_path}/b.py:Net", "jax", "5x4")
    found = {
        pair.partition("=")[0].split(" + ")[0]: pair.partition("=")[2] for pair in held["pairs"]
    }
    for name, other in (("norm.weight", "norm.weight"), ("up.weight", "up.weight")):
        for old, new in port.items():
            other = f"self.{other}".replace(old, new).removeprefix("self.")
        assert f".{other}:" in found[f"blocks.0.{name}"]
    state = saved(original, tmp_path / "net.pt")
    there = write_mapped(tmp_path / "net.pt", tmp_path / "port.safetensors", held)
    assert not there.left
    write_mapped(tmp_path / "port.safetensors", tmp_path / "again.pt", held)
    again = torch.load(tmp_path / "again.pt")
    assert all(torch.equal(value, again[name]) for name, value in state.items())


def test_the_command_shows_what_went_where(tmp_path: Path, sides: tuple[str, str]) -> None:
    (tmp_path / "c.json").write_text(json.dumps(certificate(*sides, "paddle", "5x4")))
    state = saved(sides[0], tmp_path / "net.pt")
    torch.save({**state, "extra": torch.ones(1)}, tmp_path / "net.pt")
    arguments = (tmp_path / "net.pt", "-o", tmp_path / "p.pdparams", "--map", tmp_path / "c.json")
    done = torchferry("weights", *arguments, "--output-format", "json")
    assert done.returncode == 1, done.stderr
    data = json.loads(done.stdout)
    assert ["q.weight + k.weight", "qk.weight", "", "6x4", "float32"] in data["pairs"]
    assert data["left_out"] == {"extra": "no pair has it"}
    both = torchferry("weights", *arguments, "--force", "--for", "x.py")
    assert both.returncode == 2 and "--for and --map exclude each other" in both.stderr
    wrong = torchferry("weights", *arguments[:-1], tmp_path / "net.pt", "--force")
    assert wrong.returncode == 2 and "not JSON" in wrong.stderr


@pytest.mark.parametrize("fault", ["missing", "shape", "port"])
def test_a_checkpoint_that_does_not_fit_is_refused(
    tmp_path: Path, sides: tuple[str, str], fault: str
) -> None:
    held = certificate(*sides, "paddle", "5x4")
    state = saved(sides[0], tmp_path / "net.pt")
    source, output = tmp_path / "net.pt", tmp_path / "p.pdparams"
    if fault == "missing":
        del state["k.weight"]
        message = "it has no k.weight, which the port needs for qk.weight"
    elif fault == "shape":
        state["k.weight"] = torch.ones(7, 4)
        message = r"k.weight is \(7, 4\), and \(3, 4\) in the certificate's model"
    else:
        paddle.save({"other": paddle.ones([2])}, str(output))
        source, output, message = output, tmp_path / "again.pt", "it has no last.bias"
    torch.save(state, tmp_path / "net.pt")
    with pytest.raises(Exception, match=message):
        write_mapped(source, output, held)
