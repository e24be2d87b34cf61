"""Losses of a program's own that derive from torch's base class."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import TARGET, assert_prints_the_same, converted

HEAD = """
import torch
from torch.nn.modules.loss import _Loss


class Own(_Loss):
    def __init__(self, scale, reduction="mean"):
        {start}
        self.scale = scale

    def forward(self, one, other):
        loss = self.scale * (one - other).abs()
        return loss.mean() if self.reduction == "mean" else loss.sum()


class Twice(Own):
    def __init__(self, scale):
        super().__init__(scale, "sum")
        self.inner: _Loss = Own(scale)

    def forward(self, one, other):
        return super().forward(one, other) + self.inner(one, other)


x, y = torch.arange(6.0), torch.ones(6)
for loss in (Own(2.0), Own(2.0, "sum"), Own(2.0, reduction="sum"), Twice(3.0)):
    print(loss.reduction, loss(x, y).item(), len(list(loss.parameters())), loss.training)
"""
STARTS = [
    "super().__init__(reduction=reduction)",
    "super(Own, self).__init__(reduction=str(reduction))",
    "super().__init__(\n            reduction={'mean': 'mean'}.get(reduction, 'sum'),\n        )",
    "super().__init__()",
]


@pytest.mark.parametrize("start", STARTS)
def test_an_own_loss_derives_from_a_plain_layer(start: str) -> None:
    program = HEAD.format(start=start)
    assert "TorchLossBase" not in converted(program)
    assert_prints_the_same(program)


@pytest.mark.parametrize(
    "start",
    [
        "super().__init__(None, None, reduction)",
        "super().__init__(size_average=reduction == 'mean')",
        "if scale:\n            super().__init__(reduction=reduction)",
    ],
)
def test_other_starts_keep_the_helper(start: str) -> None:
    program = HEAD.format(start=start)
    assert "TorchLossBase" in converted(program)
    assert_prints_the_same(program)


def test_a_test_for_a_loss_keeps_the_helper() -> None:
    program = HEAD.format(start=STARTS[0]) + "print(isinstance(loss, _Loss))\n"
    assert "TorchLossBase" in converted(program)
    assert_prints_the_same(program)


WITHOUT_START = """
import torch
from torch.nn.modules.loss import _Loss


class Gap(_Loss):
    def forward(self, one, other):
        return (one - other).abs().mean()


print(Gap({arguments})(torch.arange(6.0), torch.ones(6)).item(){more})
"""


def test_a_loss_without_arguments_is_a_layer_and_says_what_it_lacks() -> None:
    program = WITHOUT_START.format(arguments="", more="")
    result = workbench.convert(program, target=TARGET)
    assert "TorchLossBase" not in result.code
    assert [one.range.start.line for one in result.findings if one.code == "TF119"] == [5]
    assert_prints_the_same(program)


@pytest.mark.parametrize(
    ("arguments", "more"), [("reduction='sum'", ""), ("", ", Gap().reduction"), ("None, False", "")]
)
def test_a_loss_with_arguments_keeps_the_helper(arguments: str, more: str) -> None:
    program = WITHOUT_START.format(arguments=arguments, more=more)
    assert "TorchLossBase" in converted(program)
    assert_prints_the_same(program)
