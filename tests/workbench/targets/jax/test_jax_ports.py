"""Ports for flax.nnx by hand: correct ones are certified, wrong ones reported with the line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import pytest
import torch
from flax import nnx
from torch import nn

from tests.command import torchferry
from tests.workbench.verify.forms import check_of
from workbench.errors import TorchferryError
from workbench.targets.jax.carry import arrays
from workbench.targets.jax.carry.ports import Ports
from workbench.verify.result import Verification
from workbench.verify.sides.loading import target_of
from workbench.verify.sides.task import Asked
from workbench.verify.verification import verify_files, verify_live

pytestmark = pytest.mark.one_in(6)

PORTS = Path(__file__).parent / "ports"
NAMES = ("gpt", "cnn", "dense", "attention", "lenet", "stacked", "flagged", "recurrent")
CLASSES = {name: "GPT" if name == "gpt" else "Net" for name in NAMES}
IMAGES = ("cnn", "lenet")
# By port: the words of the correct one, and of the wrong one.
BUGS = [
    ("cnn", "jax.nn.silu", "jax.nn.gelu"),
    ("dense", "self.norm(self.body(x))", "self.norm(jax.lax.stop_gradient(self.body(x)))"),
    ("dense", ", nesterov=True", ""),
    ("dense", "nnx.Dropout(0.2", "nnx.Dropout(0.3"),
    ("dense", "BatchNorm(8, momentum=0.9", "BatchNorm(8, momentum=0.1"),
]
MORE_BUGS = [
    ("cnn", "self.up(x).mean((1, 2))", "jax.lax.stop_gradient(self.up(x).mean((1, 2)))"),
    ("cnn", ", nesterov=True", ""),
    ("cnn", "nnx.Dropout(0.2", "nnx.Dropout(0.3"),
    ("cnn", "BatchNorm(8, momentum=0.9, rngs", "BatchNorm(8, momentum=0.1, rngs"),
    ("gpt", "self.attn_out(y))", "self.attn_out(jax.lax.stop_gradient(y)))"),
    ("gpt", "optax.adamw(1e-3, weight_decay=0.01)", "optax.adamw(1e-3)"),
    ("recurrent", "(c, h), _ = self.writer((c, h),", "(h, c), _ = self.writer((h, c),"),
    ("gpt", "self.wpe[: ids.shape[1]]", "self.wpe[1 : ids.shape[1] + 1]"),
    ("gpt", ", approximate=False", ""),
    ("gpt", "self.ln1 = nnx.LayerNorm(d, epsilon=1e-5,", "self.ln1 = nnx.LayerNorm(d,"),
    ("gpt", " / (d // self.heads) ** 0.5", ""),
    ("gpt", "nnx.Dropout(p,", "nnx.Dropout(2 * p,"),
    ("gpt", "weight_decay=0.01)", "weight_decay=0.01, eps=1e-6)"),
    ("gpt", "axis=-1)\n        y =", "axis=-2)\n        y ="),
    ("gpt", "x + self.dropout(self.attn_out(y))", "self.dropout(x + self.attn_out(y))"),
    ("gpt", ".mean()", ".sum()"),
    ("gpt", '"bhts,bshd->bthd"', '"bhst,bshd->bthd"'),
    ("gpt", "vocab, use_bias=False", "vocab"),
    ("cnn", "num_groups=4", "num_groups=2"),
    ("cnn", "nnx.max_pool", "nnx.avg_pool"),
    ("cnn", 'padding="VALID", rngs', 'padding="VALID", use_bias=False, rngs'),
]


@pytest.fixture(autouse=True)
def narrow() -> Iterator[None]:
    """Use 32 bits, as in a new process: lowered modules turn 64 bits on for all of it."""
    with jax.enable_x64(False):
        yield


# For `make jax`: a minute each, and one that a test of the command certifies.
LONG = ("gpt", "recurrent", "attention")


def _verify(name: str, port: Path) -> Verification:
    kind = CLASSES[name]
    asked = Asked(steps=3, channels_last=name in IMAGES)
    original = f"{PORTS / name}_original.py:{kind}"
    return verify_files(original, f"{port}:{kind}", asked, "jax", lambda _: None)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.thorough if name in LONG else ()) for name in CLASSES],
)
def test_a_correct_port_is_certified(name: str) -> None:
    found = _verify(name, PORTS / f"{name}_nnx.py")
    assert found.certified, found.as_dict()
    names = {check.name for check in found.checks}
    assert {"forward in training", "gradients", "saved state loaded again"} <= names
    assert ("3 steps of training" in names) == (name not in ("attention", "lenet", "stacked"))
    if name == "lenet":  # which flattens images as flax has them
        assert "fc1.weight=fc1.weight:last8" in found.pairs
    if name == "recurrent":  # whose cells keep the sum of torch's two biases, but for the GRU
        assert "writer.bias_ih + writer.bias_hh=writer.bias:sum" in found.pairs
        assert "gated.bias_hh_l0=gated.cell.bias_hh" in found.pairs
        back = "encoder.weight_ih_l1_reverse=encoder.1.backward_rnn.cell.weight_ih"
        assert back in found.pairs


@pytest.mark.thorough
def test_a_gru_without_a_bias_behind_its_gate_is_the_only_report(tmp_path: Path) -> None:
    port = tmp_path / "port.py"
    text = (PORTS / "recurrent_nnx.py").read_text()
    (line,) = (line for line in text.splitlines() if "cell.dense_h =" in line)
    port.write_text(text.replace(line, ""))
    found = _verify("recurrent", port)
    assert [check.name for check in found.checks if check.differing] == ["construction"]
    (figure,) = check_of(found, "construction").differing
    assert figure.name == "gated.bias_hh_l0"
    assert "no bias after its reset gate" in figure.reason
    assert found.places[0].original.endswith("recurrent_original.py:12")


def _assert_reported(name: str, old: str, new: str, folder: Path) -> None:
    text = (PORTS / f"{name}_nnx.py").read_text()
    assert old in text
    file = folder / f"{name}_changed.py"
    file.write_text(text.replace(old, new, 1))
    line = text[: text.index(old)].count("\n") + 1
    found = _verify(name, file)
    assert not found.certified
    port, _, reported = found.places[0].port.rpartition(":")
    assert Path(port) == file
    assert abs(int(reported) - line) <= 3, [str(where) for where in found.places]


@pytest.mark.parametrize(("name", "old", "new"), BUGS)
def test_a_wrong_port_is_reported_with_its_line(
    name: str, old: str, new: str, tmp_path: Path
) -> None:
    _assert_reported(name, old, new, tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "old", "new"), MORE_BUGS)
def test_more_wrong_ports_are_reported(name: str, old: str, new: str, tmp_path: Path) -> None:
    _assert_reported(name, old, new, tmp_path)


def test_the_command_knows_a_port_by_its_imports(tmp_path: Path) -> None:
    certificate = tmp_path / "certificate.json"
    sides = [f"{PORTS / 'attention'}_original.py:Net", f"{PORTS / 'attention'}_nnx.py:Net"]
    run = torchferry("verify", *sides, "--json", certificate)
    assert run.returncode == 0, run.stdout + run.stderr
    held = json.loads(certificate.read_text())
    assert held["target"] == "jax"
    assert {"torch", "jax", "flax", "optax"} <= held["versions"].keys()
    with pytest.raises(TorchferryError, match="uses torch, and imports no target"):
        target_of(sides[0])


def test_images_that_a_port_takes_otherwise_are_pointed_out() -> None:
    sides = [f"{PORTS / 'cnn'}_original.py:Net", f"{PORTS / 'cnn'}_nnx.py:Net"]
    found = verify_files(sides[0], sides[1], Asked(), "jax", lambda _: None)
    assert not found.certified
    assert check_of(found, "forward in evaluation").summary.endswith("add --channels-last")


def test_live_modules_are_known_by_their_class() -> None:
    ours, theirs = nn.Linear(4, 3), nnx.Linear(4, 3, rngs=nnx.Rngs(0))
    assert verify_live(ours, theirs, (ROWS,)).certified


def test_scripts_say_what_to_name_instead() -> None:
    with pytest.raises(TorchferryError, match="name both models"):
        Ports().training(None)  # type: ignore[arg-type]


Layers = tuple[nn.Module, Callable[[nnx.Rngs], Any], torch.Tensor]
IMAGE, ROWS = torch.randn(2, 4, 7, 7), torch.randn(2, 5, 4)
LAYERS: dict[str, Layers] = {
    "linear": (nn.Linear(4, 3), lambda r: nnx.Linear(4, 3, rngs=r), ROWS),
    "general": (nn.Linear(4, 3), lambda r: nnx.LinearGeneral(4, 3, rngs=r), ROWS),
    "conv": (
        nn.Conv2d(4, 6, 3, 2, 1, groups=2),
        lambda r: nnx.Conv(4, 6, (3, 3), 2, padding=1, feature_group_count=2, rngs=r),
        IMAGE,
    ),
    "transposed": (
        nn.ConvTranspose2d(4, 6, 3, 2),
        lambda r: nnx.ConvTranspose(4, 6, (3, 3), 2, padding="VALID", rngs=r),
        IMAGE,
    ),
    "transposed kernel": (
        nn.ConvTranspose2d(4, 6, 3, 2),
        lambda r: nnx.ConvTranspose(
            4, 6, (3, 3), 2, padding="VALID", transpose_kernel=True, rngs=r
        ),
        IMAGE,
    ),
    "layer norm": (nn.LayerNorm(4, 1e-6), lambda r: nnx.LayerNorm(4, rngs=r), ROWS),
    "rms norm": (nn.RMSNorm(4, 1e-6), lambda r: nnx.RMSNorm(4, rngs=r), ROWS),
    "group norm": (nn.GroupNorm(2, 4, 1e-6), lambda r: nnx.GroupNorm(4, 2, rngs=r), IMAGE),
    "instance norm": (
        nn.InstanceNorm2d(4, 1e-6, affine=True),
        lambda r: nnx.InstanceNorm(4, rngs=r),
        IMAGE,
    ),
    "prelu": (nn.PReLU(), lambda r: nnx.PReLU(), ROWS),
    "embedding": (nn.Embedding(9, 4), lambda r: nnx.Embed(9, 4, rngs=r), torch.tensor([[1, 8]])),
}


@pytest.mark.parametrize("name", LAYERS)
def test_layers_of_flax_take_what_torchs_hold(name: str) -> None:
    ours, make, x = LAYERS[name]
    for parameter in ours.parameters():
        nn.init.normal_(parameter)
    theirs = make(nnx.Rngs(0))
    held = Ports().held(theirs)
    state = ours.state_dict()
    assert held.keys() == state.keys()
    for key, value in state.items():
        held[key].write(value)
        assert torch.equal(held[key].read(), value)
    image = x.dim() == 4
    given = arrays.from_torch(x.movedim(1, -1) if image else x)
    made = arrays.to_torch(theirs(given))
    torch.testing.assert_close(
        made.movedim(-1, 1) if image else made, ours(x), atol=2e-6, rtol=1e-5
    )
