"""Training in JAX: torch's optimizers in optax's words, step for step."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from _pytest.mark import ParameterSet
from torch import nn, optim
from torch.optim import lr_scheduler as schedules

from tests.command import torchferry
from workbench.capture import capture
from workbench.compare.nodes.training import Plan, compare_training
from workbench.errors import TorchferryError
from workbench.lower import Lowered, LowerError, lower, with_loss

pytestmark = pytest.mark.one_in(5)

Make = Callable[[Iterator[nn.Parameter]], optim.Optimizer]

OPTIMIZERS: dict[str, Make] = {
    "sgd": lambda p: optim.SGD(p, lr=0.1),
    "nesterov": lambda p: optim.SGD(p, lr=0.05, momentum=0.9, nesterov=True, weight_decay=0.01),
    "dampening": lambda p: optim.SGD(p, lr=0.05, momentum=0.9, dampening=0.3),
    "adam": lambda p: optim.Adam(p, lr=0.01, betas=(0.8, 0.9), weight_decay=0.1),
    "amsgrad": lambda p: optim.AdamW(p, lr=0.01, amsgrad=True, weight_decay=0.1),
    "adamw": lambda p: optim.AdamW(p, lr=0.01),
    "adamax": lambda p: optim.Adamax(p, lr=0.01),
    "nadam": lambda p: optim.NAdam(p, lr=0.01, weight_decay=0.1, decoupled_weight_decay=True),
    "radam": lambda p: optim.RAdam(p, lr=0.01),
    "rmsprop": lambda p: optim.RMSprop(p, lr=0.01, momentum=0.5),
    "adagrad": lambda p: optim.Adagrad(p, lr=0.01, lr_decay=0.1),
    "adadelta": lambda p: optim.Adadelta(p),
    "asgd": lambda p: optim.ASGD(p, lr=0.01),
    "rprop": lambda p: optim.Rprop(p, lr=0.01),
}


def _net(dtype: torch.dtype) -> nn.Module:
    torch.manual_seed(0)
    parts = (nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))
    return nn.Sequential(*parts).to(dtype).train()


def _batch(step: int, dtype: torch.dtype = torch.float32) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(step)
    x = torch.randn(8, 6, generator=generator, dtype=torch.float64).to(dtype)
    return x, torch.randint(0, 3, (8,), generator=generator)


def _lowered(net: nn.Module, batch: tuple[torch.Tensor, ...]) -> Lowered:
    return lower(capture(with_loss(net, F.cross_entropy), batch), target="jax")


@functools.cache
def _lowered_once(dtype: torch.dtype) -> tuple[nn.Module, Lowered]:
    """Return the network of a dtype, lowered; each optimizer starts from its first weights."""
    net = _net(dtype)
    return net, _lowered(net, _batch(0, dtype))


def _fresh(dtype: torch.dtype) -> tuple[nn.Module, Lowered]:
    net, lowered = _lowered_once(dtype)
    net.load_state_dict(_net(dtype).state_dict())
    return net, lowered


def _follow(
    net: nn.Module,
    lowered: Lowered,
    optimizer: optim.Optimizer,
    schedule: optim.lr_scheduler.LRScheduler | None,
    limit: float,
) -> None:
    """Train both sides for fifty steps: every loss, and the weights at the end, are the same."""
    dtype = next(net.parameters()).dtype
    training = lowered.training(optimizer, schedule)
    for step in range(50):
        x, target = _batch(step, dtype)
        found = training.step((x, target))
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), target)
        loss.backward()
        optimizer.step()
        if schedule is not None:
            schedule.step()
        assert abs(found.item() - loss.item()) < limit, step
    weights = training.weights()
    for key, value in net.state_dict().items():
        assert (weights[key] - value).abs().max() < limit, key


def in_single(name: str) -> ParameterSet:
    """Return the same in single precision, for the thorough runs."""
    return pytest.param(name, torch.float32, 1e-5, marks=pytest.mark.thorough)


@pytest.mark.parametrize(
    ("name", "dtype", "limit"),
    [
        *((name, torch.float64, 1e-9) for name in OPTIMIZERS),
        *(in_single(name) for name in ("nesterov", "adamw", "radam", "rprop")),
    ],
)
def test_fifty_steps_follow_torchs(name: str, dtype: torch.dtype, limit: float) -> None:
    net, lowered = _fresh(dtype)
    optimizer = OPTIMIZERS[name](net.parameters())
    _follow(net, lowered, optimizer, None, limit)


SCHEDULES: dict[str, Callable[[optim.Optimizer], optim.lr_scheduler.LRScheduler]] = {
    "step": lambda o: schedules.StepLR(o, 7, gamma=0.5),
    "multi_step": lambda o: schedules.MultiStepLR(o, [10, 20, 20], gamma=0.3),
    "exponential": lambda o: schedules.ExponentialLR(o, 0.95),
    "cosine": lambda o: schedules.CosineAnnealingLR(o, T_max=30, eta_min=1e-3),
    "linear": lambda o: schedules.LinearLR(o, start_factor=0.1, total_iters=12),
    "constant": lambda o: schedules.ConstantLR(o, factor=0.25, total_iters=9),
    "polynomial": lambda o: schedules.PolynomialLR(o, total_iters=40, power=2.0),
    "warmed_up": lambda o: schedules.SequentialLR(
        o,
        [schedules.LinearLR(o, 0.1, total_iters=10), schedules.CosineAnnealingLR(o, T_max=40)],
        [10],
    ),
}


@pytest.mark.parametrize(
    ("name", "dtype", "limit"),
    [
        *((name, torch.float64, 1e-9) for name in SCHEDULES),
        in_single("warmed_up"),
    ],
)
def test_fifty_steps_follow_a_schedule(name: str, dtype: torch.dtype, limit: float) -> None:
    net, lowered = _fresh(dtype)
    first, *_, last = list(net.children())
    groups = [{"params": first.parameters(), "weight_decay": 0.1}, {"params": last.parameters()}]
    optimizer = optim.AdamW([groups[0], {**groups[1], "lr": 0.02}], lr=0.01, weight_decay=0.0)
    schedule = SCHEDULES[name](optimizer)
    _follow(net, lowered, optimizer, schedule, limit)


def test_a_schedule_without_an_exact_form_is_refused() -> None:
    net, lowered = _fresh(torch.float32)
    adam = optim.Adam(net.parameters())
    own = schedules.LambdaLR(adam, lambda step: 0.9**step)
    with pytest.raises(
        LowerError, match="optax has no exact counterpart of LambdaLR; use one of StepLR"
    ):
        lowered.training(adam, own)
    other = optim.NAdam(net.parameters())
    with pytest.raises(LowerError, match="NAdam with these settings accepts no schedule in JAX"):
        lowered.training(other, schedules.StepLR(other, 3))


def _plan(optimizer: Callable[[nn.Module], optim.Optimizer], *, model: nn.Module) -> Plan:
    return Plan(model, F.cross_entropy, 1, optimizer, _batch)


def test_groups_and_frozen_weights_are_kept_apart() -> None:
    net, lowered = _fresh(torch.float32)

    def grouped(model: nn.Module) -> optim.Optimizer:
        first, *_, last = list(model.children())
        decayed = {"params": list(first.parameters()), "weight_decay": 0.5}
        return optim.AdamW([decayed, {"params": [last.weight], "lr": 0.1}], lr=0.01)

    found = compare_training(lowered, _plan(grouped, model=net), 20)
    assert found.equal, [gap for gap in found.gaps if not gap.equal]
    other = compare_training(
        lowered,
        Plan(net, lambda x, y: F.cross_entropy(x, y) * 1.01, 1, grouped, _batch),
        3,
    )
    assert other.first == 1, "a loss that is 1 % off is no rounding"


class _Tied(nn.Module):
    """Two layers with one weight, with names in this order or the other."""

    def __init__(self, first: str, last: str) -> None:
        super().__init__()
        self.names = first, last
        self.add_module(first, nn.Linear(6, 6))
        self.add_module("middle", nn.Linear(6, 6))
        self.add_module(last, nn.Linear(6, 6, bias=False))
        getattr(self, last).weight = getattr(self, first).weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        first, last = (getattr(self, name) for name in self.names)
        found: torch.Tensor = last(torch.tanh(self.middle(first(x))))
        return found


@pytest.mark.parametrize("names", [("head", "tok"), ("tok", "head")])
@pytest.mark.parametrize(
    "make",
    [
        lambda tied, rest: optim.AdamW(
            [{"params": tied, "weight_decay": 0.5}, {"params": rest, "weight_decay": 0.0}], lr=0.01
        ),
        lambda tied, rest: optim.SGD([{"params": rest}, {"params": tied, "lr": 0.5}], lr=0.01),
        lambda tied, rest: optim.Adam(tied, lr=0.01),
    ],
)
def test_a_tied_weight_has_the_settings_of_its_group(
    names: tuple[str, str],
    make: Callable[[list[nn.Parameter], list[nn.Parameter]], optim.Optimizer],
) -> None:
    torch.manual_seed(0)
    net = _Tied(*names).train()
    tied = getattr(net, names[0]).weight
    optimizer = make([tied], [one for one in net.parameters() if one is not tied])
    lowered = _lowered(net, _batch(0))
    _follow(net, lowered, optimizer, None, 2e-5)


def test_uses_without_an_exact_form_are_refused() -> None:
    net, lowered = _fresh(torch.float32)
    with pytest.raises(
        LowerError, match="optax has no exact counterpart of LBFGS; use one of SGD, Adam"
    ):
        lowered.training(optim.LBFGS(net.parameters()))
    used = optim.Adam(net.parameters())
    F.cross_entropy(net(_batch(0)[0]), _batch(0)[1]).backward()
    used.step()
    with pytest.raises(LowerError, match="the Adam has already made steps"):
        lowered.training(used)
    plain = lower(capture(net, _batch(0)[0]), target="jax")
    with pytest.raises(LowerError, match="gives no loss: capture workbench"):
        plain.training(optim.Adam(net.parameters()))


class _Noisy(nn.Module):
    """A model that draws what JAX's side cannot be handed."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Linear(6, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.body(x) * torch.poisson(torch.ones(8, 3))


def test_draws_of_torch_are_repeated() -> None:
    net = nn.Sequential(nn.Linear(6, 16), nn.Dropout(0.3), nn.ReLU(), nn.Linear(16, 3)).train()
    plan = _plan(lambda model: optim.SGD(model.parameters(), lr=0.1), model=net)
    found = compare_training(_lowered(net, _batch(0)), plan, 6)
    assert found.equal, found
    assert max(found.drift) < 1e-4, "its own runs draw the same numbers"
    noisy = _Noisy().train()
    plan = _plan(lambda model: optim.SGD(model.parameters(), lr=0.1), model=noisy)
    with pytest.raises(TorchferryError, match=r"cannot be drawn again in step 1: .*poisson"):
        compare_training(_lowered(noisy, _batch(0)), plan, 2)


PROGRAM = """
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(6, 8), nn.Linear(8, 3)

    def forward(self, x):
        return self.head(torch.tanh(self.body(x)))


def batch(step):
    return torch.randn(8, 6), torch.randint(0, 3, (8,))


def loss(logits, target):
    return F.cross_entropy(logits, target)


def optimizer(model):
    made = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.1)
    return made, torch.optim.lr_scheduler.StepLR(made, 4)
"""
USE = """
import jax.numpy as jnp
from trained import Net, make_optimizer, train_step

net = Net()
optimizer = make_optimizer(net)
x, y = jnp.ones([8, 6], "float32"), jnp.zeros([8], "int64")
losses = [float(train_step(net, optimizer, x, y)) for _ in range(20)]
assert losses[-1] < losses[0], losses
"""


def test_a_command_compares_and_writes_the_step(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    (tmp_path / "use.py").write_text(USE)
    names = ["--batch", "batch", "--loss", "loss", "--optimizer", "optimizer", "--target", "jax"]

    program = "train.py:Net"
    compared = torchferry("compare", program, *names, "--steps", "10", cwd=tmp_path)
    assert compared.returncode == 0, compared.stderr
    assert "10 steps agree: losses differ by at most" in compared.stdout
    traced = torchferry("trace", program, *names, "--save", "trained.py", cwd=tmp_path)
    assert traced.returncode == 0, traced.stderr
    used = subprocess.run(
        [sys.executable, "use.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert used.returncode == 0, used.stderr
    half = torchferry("compare", program, "--loss", "loss", "--target", "jax", cwd=tmp_path)
    assert half.returncode == 2
    assert "training needs all of --batch, --loss and --optimizer" in half.stderr
    paddle = torchferry("trace", program, *names[:-2], cwd=tmp_path)
    assert paddle.returncode == 2
    assert "is converted from its source code: torchferry convert" in paddle.stderr
