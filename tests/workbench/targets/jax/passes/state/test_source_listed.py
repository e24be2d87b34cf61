"""Optimizers of some parameters of a model, and of groups with their own settings."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.workbench.targets.jax.source import HEAD, assert_same, refused, run, written
from workbench.convert.conversion import convert

pytestmark = pytest.mark.usefixtures("narrow")
NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 3)
        self.norm = nn.LayerNorm(3)
        self.head = nn.Linear(3, 1)
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, x):
        return self.head(self.norm(torch.tanh(self.body(x)))) * self.scale

def split(net, decay):
    groups = [{"params": [], "weight_decay": decay}, {"params": [], "weight_decay": 0.0}]
    for name, p in net.named_parameters():
        groups[1 if name.endswith("bias") or p.ndim == 1 else 0]["params"].append(p)
    return groups

net = Net()
with torch.no_grad():
    for p in net.parameters():
        p.copy_(torch.linspace(-0.5, 0.6, p.numel()).reshape(p.shape))
x = torch.linspace(-1, 1, 20).reshape(5, 4)
"""
TRAIN = """
for step in range(4):
    optimizer.zero_grad()
    loss = ((net(x) - 1) ** 2).mean()
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.5f}")
"""


@pytest.mark.parametrize(
    "optimizer",
    [
        'optim.SGD([{"params": net.body.parameters(), "lr": 0.01}, '
        '{"params": [*net.norm.parameters(), *net.head.parameters()]}], lr=0.1, momentum=0.9)',
        'optim.Adam([{"params": [net.scale], "weight_decay": 0.5}, '
        '{"params": [p for n, p in net.named_parameters() if n != "scale"]}], lr=0.1)',
        'optim.SGD([{"params": net.head.parameters(), "momentum": 0.5},'
        '{"params": net.body.parameters()}], lr=0.1)',
        "optim.AdamW(split(net, 0.3), lr=0.05)",
        'optim.RMSprop([p for n, p in net.named_parameters() if "norm" not in n], lr=0.01)',
        "optim.Adagrad([net.scale, net.head.weight], lr=0.1)",
    ],
    ids=["two rates", "a decay", "a momentum", "a function", "by name", "single parameters"],
)
def test_lists_and_groups_of_parameters_are_trained(optimizer: str) -> None:
    assert_same(f"{NET}optimizer = {optimizer}\n{TRAIN}print(net.norm.weight.sum().item())")


def test_two_optimizers_share_a_model() -> None:
    text = NET + (
        'heads = {n for n, _ in net.named_parameters() if "head" in n}\n'
        "named = dict(net.named_parameters())\n"
        "first = optim.Adam([named[n] for n in sorted(heads)], lr=0.1)\n"
        "optimizer = optim.SGD([p for n, p in named.items() if n not in heads], lr=0.1)\n"
    )
    train = TRAIN.replace("    loss =", "    first.zero_grad()\n    loss =")
    assert_same(text + train.replace("    optimizer.step", "    first.step()\n    optimizer.step"))


@pytest.mark.parametrize(
    "schedule", ["CosineAnnealingLR(optimizer, 4, eta_min=0.005)", "MultiStepLR(optimizer, [1, 3])"]
)
def test_schedules_and_settings_follow_the_groups(schedule: str) -> None:
    code = assert_same(
        NET
        + f"""
optimizer = optim.SGD([{{"params": net.body.parameters(), "lr": 0.01, "name": "body"}},
                       {{"params": net.head.parameters()}}], lr=0.1)
schedule = optim.lr_scheduler.{schedule}
"""
        + TRAIN.replace("optimizer.step()", "optimizer.step(); schedule.step()")
        + """
print([round(g["lr"], 5) for g in optimizer.param_groups], schedule.get_last_lr())
print(len(optimizer.param_groups[0]["params"]), optimizer.param_groups[0]["name"])
for group in optimizer.param_groups:
    group["lr"] *= 0.5
print([round(g["lr"], 5) for g in optimizer.param_groups])
"""
    )
    assert "TorchEachGroup(optimizer, lambda group: " in code


def test_a_parameter_of_another_model_is_an_error() -> None:
    made = "other = Net()\nrest = [other.scale]\noptimizer = optim.SGD([net.scale] + rest, lr=0.1)"
    code = re.sub(r"torch_grouped\(\(.*?\)", "torch_grouped(net", written(NET + made))
    with pytest.raises(ValueError, match="none of the model's"):
        run(code)


def test_clipping_of_all_gradients_is_reported_where_some_may_be_left_out() -> None:
    clip = TRAIN.replace(
        "    optimizer.step",
        "    nn.utils.clip_grad_norm_(net.parameters(), 1.0)\n    optimizer.step",
    )
    text = f"{NET}optimizer = optim.SGD([net.scale], lr=0.1)\n{clip}"
    findings = convert(HEAD + text, target="jax").findings
    assert any("leaves out parameters of net" in one.message for one in findings)


@pytest.mark.parametrize(
    "flags",
    [
        "for p in net.body.parameters():\n    p.requires_grad = False",
        "for n, p in net.named_parameters():\n    p.requires_grad = n.startswith('head')",
        "net.requires_grad_(False)\nnet.head.requires_grad_(True)",
        "net.body.weight.requires_grad_(False)\nnet.scale.requires_grad = False",
    ],
    ids=["a loop", "by name", "of layers", "of single ones"],
)
@pytest.mark.parametrize(
    "trained",
    [
        "filter(lambda p: p.requires_grad, net.parameters())",
        "[p for p in net.parameters() if p.requires_grad]",
        "net.parameters()",
    ],
    ids=["filter", "list", "all"],
)
def test_parameters_without_gradients_stay(flags: str, trained: str) -> None:
    clip = "nn.utils.clip_grad_norm_(net.parameters(), 0.1)\n    optimizer.step"
    code = assert_same(
        f"{NET}{flags}\noptimizer = optim.Adam({trained}, lr=0.1, weight_decay=0.1)\n"
        + TRAIN.replace("optimizer.step", clip)
        + "print([n for n, p in net.named_parameters() if p.requires_grad])\n"
        "print([p.sum().item() for p in net.parameters()])\n"
    )
    assert "wrt=torch_trained" in code


def test_a_parameter_that_is_made_without_gradients_stays() -> None:
    net = NET.replace("torch.ones(1)", "torch.ones(1), requires_grad=False")
    trained = "optim.SGD(net.parameters(), lr=0.1, momentum=0.9)"
    assert_same(f"{net}optimizer = {trained}\n{TRAIN}print(net.scale.item())")


def test_flags_of_a_copy_stay_with_the_copy() -> None:
    text = NET.replace(
        "net = Net()", "net = Net()\nfor p in net.body.parameters():\n    p.requires_grad = False"
    )
    code = written(
        text + "import copy\nother = copy.deepcopy(net)\noptimizer = "
        "optim.SGD(other.parameters(), lr=0.1)\n" + TRAIN.replace("net(x)", "other(x)")
    )
    names = run(code)
    kernel = names["net"].body.kernel[...]
    np.testing.assert_array_equal(names["other"].body.kernel[...], kernel)


def test_flags_that_change_between_updates_are_refused() -> None:
    later = "    if step == 2:\n        net.body.requires_grad_(True)\n    optimizer.zero"
    text = (
        f"{NET}net.body.requires_grad_(False)\noptimizer = optim.Adam(net.parameters(), lr=0.1)\n"
    )
    reasons = refused(text + TRAIN.replace("    optimizer.zero", later))
    assert any("made before still updates afterwards" in one for one in reasons)


def test_flags_may_change_before_another_optimizer_is_made() -> None:
    again = "net.body.requires_grad_(False)\noptimizer = optim.Adam(net.parameters(), lr=0.1)\n"
    assert_same(f"{NET}optimizer = optim.Adam(net.parameters(), lr=0.1)\n{TRAIN}{again}{TRAIN}")


def test_attributes_of_parameters_choose_their_group() -> None:
    net = NET.replace(
        "self.scale = nn.Parameter(torch.ones(1))",
        "self.scale = nn.Parameter(torch.ones(1))\n"
        "        self.scale._no_decay = True\n        self.head.weight._no_decay = True",
    )
    groups = (
        'spared = [p for p in net.parameters() if getattr(p, "_no_decay", False)]\n'
        'rest = [p for p in net.parameters() if not getattr(p, "_no_decay", False)]\n'
        'optimizer = optim.AdamW([{"params": rest, "weight_decay": 0.5},'
        ' {"params": spared, "weight_decay": 0.0}], lr=0.05)\n'
    )
    assert_same(f"{net}{groups}{TRAIN}print(len(spared), len(rest))")


@pytest.mark.parametrize(
    "lists",
    [
        "known = {id(p) for p in net.head.parameters()}\n"
        "rest = [p for p in net.parameters() if id(p) not in known]\n",
        "known = set(map(id, net.head.parameters()))\n"
        "rest = [p for p in net.parameters() if id(p) not in known]\n",
        "heads = list(net.head.parameters())\n"
        "rest = [p for p in net.parameters() if not any(p is q for q in heads)]\n",
    ],
    ids=["id", "mapped", "is"],
)
def test_parameters_are_told_apart_by_identity(lists: str) -> None:
    groups = '[{"params": net.head.parameters(), "lr": 0.5}, {"params": rest}]'
    text = f"{NET}{lists}optimizer = optim.SGD({groups}, lr=0.01)\n{TRAIN}print(len(rest))"
    assert_same(text)
