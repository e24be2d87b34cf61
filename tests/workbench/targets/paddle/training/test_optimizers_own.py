"""Optimizers of the user's own in plain code: they keep their groups and states themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import assert_prints_the_same

MINE = '''\
import torch
from torch.optim.optimizer import Optimizer


class Mine(Optimizer):
    """Momentum, and a decay of its own."""

    def __init__(self, params, lr=0.1, momentum=0.9):
        defaults = dict(lr=lr, momentum=momentum)
        super().__init__(params, defaults)  # groups
        self.steps = 0

    def __setstate__(self, state):
        super(Mine, self).__setstate__(state)
        self.steps += 1

    @torch.no_grad()
    def step(self, closure=None):
        self.steps += 1
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if "buffer" not in state:
                    state["buffer"] = torch.zeros_like(p)
                state["buffer"].mul_(group["momentum"]).add_(p.grad)
                p.add_(state["buffer"], alpha=-group["lr"])


def adapt(optimizer: Optimizer) -> None:
    for group in optimizer.param_groups:
        group["lr"] *= 0.5
'''

WRITTEN = '''\
import collections

import paddle
from paddle.optimizer import Optimizer


class Mine:
    """Momentum, and a decay of its own."""

    def __init__(self, params, lr=0.1, momentum=0.9):
        defaults = dict(lr=lr, momentum=momentum)
        self.state, self.param_groups = collections.defaultdict(dict), []
        groups = list(params)
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            own = group["params"]
            own = [own] if isinstance(own, paddle.Tensor) else list(own)
            self.param_groups.append({**defaults, **group, "params": own})  # groups
        self.steps = 0

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.steps += 1

    @paddle.no_grad()
    def step(self, closure=None):
        self.steps += 1
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if "buffer" not in state:
                    state["buffer"] = paddle.zeros_like(p)
                state["buffer"].scale_(group["momentum"]).add_(p.grad)
                p.add_(state["buffer"], alpha=-group["lr"])

    def zero_grad(self, set_to_none=True):
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter.clear_gradient(not set_to_none)


def adapt(optimizer: Optimizer) -> None:
    for group in optimizer.param_groups:
        group["lr"] *= 0.5
'''


def test_a_class_keeps_its_groups_and_states_itself() -> None:
    result = workbench.convert(MINE)
    assert result.code == WRITTEN
    [message] = [one.message for one in result.findings if one.code == "TF101"]
    assert "no state_dict" in message


def test_its_lines_are_indented_as_the_class_is() -> None:
    code = workbench.convert(MINE.replace("    ", "  ")).code
    assert "super" not in code and "\n  def zero_grad" in code
    assert "\n      self.param_groups.append" in code
    compile(code, "code", "exec")


def moved(space: dict[str, Any], lib: Any, tensor: Any, grouped: str) -> list[Any]:
    """Return the parameters after steps with groups of several kinds."""
    first, second = (lib.nn.Parameter(tensor(one)) for one in WEIGHTS)
    params = {
        "all": [first, second],
        "groups": [{"params": [first], "lr": 0.01}, {"params": second}],  # a single tensor
        "generators": ({"params": (p for p in [one])} for one in (first, second)),
    }[grouped]
    optimizer = space["Mine"](params)
    for step in range(4):
        optimizer.zero_grad()
        loss = ((tensor(INPUT) @ first + second).tanh() ** 2).sum()
        loss.backward()
        optimizer.step()
        if step == 1:
            space["adapt"](optimizer)
    return [first.detach().numpy(), second.detach().numpy()]


RNG = np.random.default_rng(0)
WEIGHTS = [RNG.standard_normal((4, 3), "float32"), RNG.standard_normal(3, "float32")]
INPUT = RNG.standard_normal((8, 4), "float32")


@pytest.mark.parametrize("grouped", ["all", "groups", "generators"])
def test_its_steps_are_torchs(grouped: str) -> None:
    import paddle
    import torch

    ours: dict[str, Any] = {}
    theirs: dict[str, Any] = {}
    exec(MINE, ours)
    exec(WRITTEN, theirs)
    mine = moved(ours, torch, torch.tensor, grouped)
    other = moved(theirs, paddle, paddle.to_tensor, grouped)
    for one, two, start in zip(mine, other, WEIGHTS, strict=True):
        np.testing.assert_allclose(one, two, rtol=0, atol=1e-6)
        assert abs(one - start).max() > 0.01


@pytest.mark.parametrize(
    "more",
    [
        "def save(optimizer):\n    return optimizer.state_dict()\n",
        "def is_one(x):\n    return isinstance(x, Optimizer)\n",
        "def f(model):\n    return torch.optim.SGD(model.parameters(), lr=0.1)\n",
        "def f(o):\n    return torch.optim.lr_scheduler.StepLR(o, 3)\n",
        "class Other(Optimizer):\n    def __init__(self, inner):\n        self.inner = inner\n",
        "class Other(Optimizer):\n    def __init__(self, params):\n"
        "        super().__init__(params, {})\n        self.rate = self.defaults\n",
    ],
)
def test_more_of_the_base_needs_the_base(more: str) -> None:
    code = workbench.convert(f"{MINE}\n\n{more}").code
    assert "class Mine(TorchOptimizer):" in code
    assert "super().__init__(params, defaults)" in code


def test_a_call_that_shares_its_line_has_no_place_for_more() -> None:
    text = "from torch.optim import Optimizer\n\n\nclass Mine(Optimizer):\n"
    for line in ("super().__init__(p, {})", "\n        self.n = 0; super().__init__(p, {})"):
        code = workbench.convert(f"{text}    def __init__(self, p): {line}\n").code
        assert "class Mine(TorchOptimizer)" in code


def test_a_class_that_has_a_name_of_torchs() -> None:
    code = workbench.convert(MINE.replace("Mine", "RAdam")).code
    assert code == WRITTEN.replace("Mine", "RAdam")


ENTRIES = """\
import torch


class Sums(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, dict(lr=lr))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if not state:
                    state["sum"], state["step"] = None, 0
                    state["sum"] = {made}
                total = state["sum"]
                total += p.grad
                step = state["step"]
                step += 1
"""


@pytest.mark.parametrize(
    "made", ["torch.zeros_like(p)", "torch.zeros(p.shape[0])", "p.grad.clone()", "p.new_zeros(3)"]
)
def test_an_entry_of_a_state_that_is_a_tensor_changes_itself(made: str) -> None:
    code = workbench.convert(ENTRIES.replace("{made}", made)).code
    assert "total.add_(p.grad)" in code
    assert "step += 1" in code


def test_an_entry_that_may_be_a_number_does_not() -> None:
    assert "total += p.grad" in workbench.convert(ENTRIES.replace("{made}", "0.0")).code


@pytest.mark.parametrize(
    "loop",
    [
        "for p in (p for g in self.param_groups for p in g['params']):",
        "for p in (g['params'][0] for g in self.param_groups):",
        "for p in [one for g in self.base.param_groups for one in g['params']]:",
        "for p in self.every():",
    ],
)
def test_parameters_change_in_place_whatever_a_loop_reads_them_from(loop: str) -> None:
    assert_prints_the_same(
        f"""import numpy as np
import torch
from torch import nn


class Ascending(torch.optim.Optimizer):
    def __init__(self, params, base, **options):
        super().__init__(params, dict(options))
        self.base = base(self.param_groups, **options)
        self.param_groups = self.base.param_groups

    def every(self):
        for group in self.param_groups:
            yield from group["params"]

    @torch.no_grad()
    def step(self, closure):
        {loop}
            self.state[p]["e"] = p.grad * 0.5
            p += self.state[p]["e"]
        with torch.enable_grad():
            self.zero_grad()
            closure()
        {loop}
            p -= self.state[p]["e"]
        self.base.step()


w = nn.Parameter(torch.tensor([1.0, -2.0]))
optimizer = Ascending([w], torch.optim.SGD, lr=0.1, momentum=0.9)


def closure():
    loss = (w**2).sum() / np.float32(2)
    loss.backward()
    return loss


for step in range(3):
    optimizer.zero_grad()
    closure()
    optimizer.step(closure)
    print(w.tolist())
"""
    )
