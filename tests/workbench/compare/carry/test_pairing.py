"""Containers of tensors in the target's own names and layouts, compared with torch's."""

from __future__ import annotations

import pytest

from tests.workbench.compare.conftest import Notebook, row
from workbench.compare.result import Comparison

NET = """
import torch
from torch import nn
torch.manual_seed(3)
net = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Linear(3, 2))
x = torch.tensor([[1.0, 2.0, -1.0], [0.5, -3.0, 2.0], [0.0, 1.0, 1.0]])
"""


@pytest.fixture
def ready(notebook: Notebook) -> Notebook:
    notebook.convert(NET)
    return notebook


def different(comparison: Comparison) -> list[str]:
    return [each.name for each in comparison.rows if each.same is not True]


@pytest.mark.parametrize(
    "copies",
    [
        "[p.clone() for p in net.parameters()]",
        "tuple(p.detach() * 2 for p in net[0].parameters())",
        "[p.grad.clone() for p in net[2].parameters()]",
        "torch.autograd.grad(net(x).pow(2).sum(), list(net.parameters()))",
    ],
)
def test_lists_of_copied_parameters(ready: Notebook, copies: str) -> None:
    result = ready.convert(f"net(x).sum().backward()\nheld = {copies}")
    assert not different(result), str(result)
    assert row(result, "held[0]").shape == tuple(ready.names["held"][0].shape)


def test_a_wrong_value_in_a_list_of_copies_is_different(ready: Notebook) -> None:
    source = "held = [p.detach() * 2 for p in net.parameters()]"
    conversion = ready.session.convert(source)
    conversion.code = conversion.code.replace("* 2", "* 3")
    result = ready.session.run(source, conversion)
    assert "held[0]" in different(result)


def test_unrelated_lists_are_compared_unchanged(ready: Notebook) -> None:
    result = ready.convert("mats = [torch.arange(9.0).view(3, 3), torch.zeros(3)]")
    assert not different(result), str(result)


@pytest.mark.parametrize(
    "state",
    [
        "{k: v * 2.0 for k, v in net.state_dict().items() if k.startswith('1.')}",
        "{k: v for k, v in net.state_dict().items() if not k.startswith('2.')}",
    ],
)
def test_parts_of_a_state_have_the_targets_names(ready: Notebook, state: str) -> None:
    result = ready.convert(f"part = {state}")
    assert not different(result), str(result)
    assert row(result, "part['1.running_mean']").same


@pytest.mark.parametrize("outputs", [2, 3])
def test_parts_of_a_state_without_a_module(ready: Notebook, outputs: int) -> None:
    ready.convert(f"net[2] = nn.Linear(3, {outputs})")
    ready.convert("state = {k: v.clone() for k, v in net.state_dict().items()}")
    ready.convert("net[2] = nn.Linear(3, 5)")
    source = "double = {k: v * 2.0 for k, v in state.items() if v.dim()}"
    conversion = ready.session.convert(source)
    result = ready.session.run(source, conversion)
    assert not different(result), str(result)
    assert row(result, "double['2.weight']").same
    conversion.code = conversion.code.replace("2.0", "3.0")
    assert "double['2.weight']" in different(ready.session.run(source, conversion))


def test_parameter_groups_that_torch_fills(ready: Notebook) -> None:
    result = ready.convert(
        "groups = [{'params': net[0].parameters()}, {'params': net[2].parameters(), 'lr': 0.1}]\n"
        "opt = torch.optim.AdamW(groups, lr=1e-3)\n"
    )
    assert not different(result), str(result)


def test_a_schedule_that_waits_in_a_sequence_has_no_rate(ready: Notebook) -> None:
    ready.convert(
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "first = torch.optim.lr_scheduler.LinearLR(opt, start_factor=0.2, total_iters=2)\n"
        "second = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=6)\n"
        "both = torch.optim.lr_scheduler.SequentialLR(opt, [first, second], milestones=[2])\n"
    )
    result = ready.convert(
        "rates = []\n"
        "for i in range(5):\n"
        "    net(x).sum().backward(); opt.step(); opt.zero_grad(); both.step()\n"
        "    rates.append(both.get_last_lr()[0])\n"
    )
    assert row(result, "rates").same and row(result, "second.lr").same


TRAIN = (
    "def train(times):\n"
    "    for _ in range(times):\n"
    "        opt.zero_grad()\n"
    "        net(x).pow(2).mean().backward()\n"
    "        opt.step()\n"
    "        plan.step()\n"
)
STEP_PLAN = "torch.optim.lr_scheduler.StepLR(opt, 2)"


def trained(ready: Notebook, optimizer: str, plan: str = STEP_PLAN) -> None:
    """Train the net of a notebook with an optimizer and a schedule of it."""
    ready.convert(f"opt = torch.optim.{optimizer}\nplan = {plan}\n{TRAIN}train(3)\n")


@pytest.mark.parametrize(
    ("optimizer", "kept"),
    [
        ("AdamW(net.parameters(), lr=0.01)", "exp_avg_sq"),
        ("SGD(net.parameters(), lr=0.01, momentum=0.9)", "momentum_buffer"),
        ("RMSprop(net.parameters(), lr=0.01)", "square_avg"),
        ("Adagrad(net.parameters(), lr=0.01)", "sum"),
        ("Adam([{'params': net[0].parameters()}, {'params': net[2].parameters()}])", "exp_avg"),
    ],
)
def test_a_saved_state_of_an_optimizer_is_compared(
    ready: Notebook, optimizer: str, kept: str
) -> None:
    trained(ready, optimizer)
    result = ready.convert(
        "import copy\nsaved = opt.state_dict()\n"
        "history = [{'epoch': 0, 'opt': copy.deepcopy(opt.state_dict())}]\n"
    )
    assert not different(result), str(result)
    assert row(result, f"saved['2.weight.{kept}']").shape == (2, 3)
    assert row(result, f"history[0]['opt']['2.weight.{kept}']").shape == (2, 3)


def test_a_state_of_an_optimizer_with_another_value_is_different(ready: Notebook) -> None:
    trained(ready, "AdamW(net.parameters(), lr=0.01)")
    source = "saved = opt.state_dict()"
    conversion = ready.session.convert(source)
    conversion.code += "\nfor key, value in saved.items():\n"
    conversion.code += "    if 'moment1' in key:\n        value.set_value(value * 2)\n"
    result = ready.session.run(source, conversion)
    assert "saved['0.weight.exp_avg']" in different(result)
    assert "saved['0.weight.exp_avg_sq']" not in different(result)


def test_an_optimizer_without_a_state_saves_nothing_to_compare(ready: Notebook) -> None:
    ready.convert("opt = torch.optim.AdamW(net.parameters(), lr=0.01)\n")
    [only] = ready.convert("saved = opt.state_dict()\n").rows
    assert only.reason.startswith("not checked")


@pytest.mark.parametrize(
    "plan",
    [
        STEP_PLAN,
        "torch.optim.lr_scheduler.CosineAnnealingLR(opt, 5)",
        "torch.optim.lr_scheduler.LambdaLR(opt, lambda n: 0.5 ** n)",
        "torch.optim.lr_scheduler.ExponentialLR(opt, 0.9)",
    ],
)
def test_a_saved_state_of_a_schedule_is_compared(ready: Notebook, plan: str) -> None:
    trained(ready, "SGD(net.parameters(), lr=0.1)", plan)
    result = ready.convert("held = {'plan': plan.state_dict()}\n")
    assert not different(result), str(result)
    assert row(result, "held['plan']['last_epoch']").same
    assert row(result, "held['plan']['lr']").same


def test_a_scaler_and_its_saved_state_are_compared(ready: Notebook) -> None:
    result = ready.convert(
        "scaler = torch.amp.GradScaler('cpu', init_scale=8.0)\n"
        "off = torch.amp.GradScaler('cuda', enabled=False)\n"
        "states = [scaler.state_dict(), off.state_dict()]\n"
    )
    assert not different(result), str(result)
    assert row(result, "scaler['scale']").same
    assert row(result, "off.enabled").same
    assert row(result, "states[0]['growth_factor']").same
    assert not result.notes
