"""Classes derived from tensors, and integers that are tensors, where Paddle raises errors."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import TARGET, assert_prints_the_same
from workbench.targets import load

_HEAD = "import torch\nfrom torch import nn\n"
_OWN = "class P({base}):\n    def {method}(cls, data=None, tag=None):\n        {body}\n"


@pytest.mark.parametrize("style", ["plain", "exact"])
@pytest.mark.parametrize("base", ["nn.Parameter", "torch.Tensor", "Mixin, nn.Parameter"])
@pytest.mark.parametrize("method", ["__new__", "__init__"])
def test_a_tensor_class_that_makes_its_values_itself_is_reported(
    base: str, method: str, style: str
) -> None:
    text = _HEAD + "class Mixin: ...\n" + _OWN.format(base=base, method=method, body="...")
    found = workbench.convert(text, target=load("paddle", style)).findings
    [one] = [one for one in found if "super().__init__" in one.message]
    assert (one.code, one.range.start.line) == ("TF102", 3)


def test_one_without_its_own_start_is_not() -> None:
    text = (
        "class P(nn.Parameter):\n    def double(self):\n        return self * 2\n"
        "print(P(torch.ones(2)).double().sum().item(), P().shape[0])\n"
    )
    code = assert_prints_the_same(_HEAD + text)
    assert "class P(nn.Parameter):" in code


@pytest.mark.parametrize(
    "made",
    [
        "StepLR(o, n)",
        "CosineAnnealingLR(o, T_max=n)",
        "LinearLR(o, total_iters=n)",
    ],
)
def test_a_schedule_takes_an_integer_that_is_a_tensor(made: str) -> None:
    text = (
        "from torch.optim.lr_scheduler import *\nn = torch.tensor(2)\n"
        "o = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)\n"
        f"s = {made}\nfor _ in range(3):\n    o.step()\n    s.step()\n"
        "print(float(s.get_last_lr()[0]))\n"
    )
    assert_prints_the_same(_HEAD + text.replace("import *", f"import {made.partition('(')[0]}"))


def test_milestones_that_are_tensors_are_reported() -> None:
    text = (
        "n = torch.tensor(2)\no = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)\n"
        "s = torch.optim.lr_scheduler.MultiStepLR(o, [n // 2, n])\n"
    )
    found = workbench.convert(_HEAD + text, target=TARGET).findings
    assert any(one.code == "TF119" and "milestone is a tensor" in one.message for one in found)


@pytest.mark.parametrize("container", ["nn.ModuleList([nn.ReLU()])", "nn.Sequential(nn.ReLU())"])
@pytest.mark.parametrize("index", ["torch.tensor(0)", "torch.arange(2)[1]"])
def test_inserting_at_a_tensor_is_refused(container: str, index: str) -> None:
    text = f"{_HEAD}layers = {container}\nlayers.insert({index}, nn.Tanh())\n"
    found = workbench.convert(text, target=TARGET).findings
    assert any(one.code == "TF200" and "int(index)" in str(one) for one in found)


def test_inserting_at_a_number_stays() -> None:
    text = "layers = nn.ModuleList([nn.ReLU()])\nlayers.insert(0, nn.Tanh())\nprint(len(layers))\n"
    assert "layers.insert(0, nn.Tanh())" in assert_prints_the_same(_HEAD + text)
