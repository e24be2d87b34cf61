"""Classes that are passed on, and called with options by whoever gets them."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.workbench.targets.paddle.both_sides import assert_prints_the_same


@pytest.mark.parametrize(
    "lines",
    [
        """
        def block(layer, act, **options):
            return nn.Sequential(layer(2, 2), act(**options))
        net = block(nn.Linear, nn.ReLU, inplace=True)
        """,
        """
        class Block(nn.Module):
            def __init__(self, act=nn.Hardtanh, norm=nn.BatchNorm1d, **options):
                super().__init__()
                self.norm = norm(2, **options)
                self.act = act(**dict(min_val=-0.5, max_val=0.5))
                self.linear = nn.Linear(2, 2)
            def forward(self, x):
                return self.linear(self.act(self.norm(x)))
        net = Block(eps=0.25)
        """,
        """
        class Expert(nn.Sequential):
            def __init__(self, act, **options):
                super().__init__(nn.Linear(2, 2), act(**options))
        net = nn.Sequential(*(Expert(nn.ReLU if i else nn.LeakyReLU, inplace=True) for i in (0, 1)))
        """,
        """
        def block(act=nn.SiLU):
            last = act(inplace=True) if act is not nn.GELU else act()
            return nn.Sequential(nn.Linear(2, 2), last)
        net = nn.Sequential(block(), block(nn.ReLU6), block(nn.GELU))
        """,
        """
        def block(layer, **options):
            return layer(2, 2, **options)
        net = nn.Sequential(block(nn.Linear, bias=False), nn.Linear(2, 2))
        """,
    ],
)
def test_a_class_that_is_passed_on_takes_the_options_of_its_caller(lines: str) -> None:
    assert_prints_the_same(
        "import torch\nfrom torch import nn\n" + dedent(lines) + "for p in net.parameters():\n"
        "    nn.init.constant_(p, 0.5)\n"
        "print(net.eval()(torch.tensor([[1.0, -2.0], [0.5, 3.0]])).tolist())\n"
    )


CHOSEN = """import torch
from torch import nn


def chosen(d):
    {choice}


x = torch.linspace(-2, 3, 96).view(2, 3, 4, 4)
layer = nn.Sequential(chosen(2)({arguments}))
print(layer(x).square().sum().item())
print(layer.eval()(x).square().sum().item())
"""


@pytest.mark.parametrize(
    "choice",
    [
        "return (nn.BatchNorm1d, nn.BatchNorm2d)[d - 1]",
        "if d == 1:\n        return nn.BatchNorm1d\n    return nn.BatchNorm2d",
        "return [None, nn.InstanceNorm2d, nn.BatchNorm2d][d]",
    ],
)
@pytest.mark.parametrize("arguments", ["3, 1e-2, 0.4", "3, eps=1e-2, momentum=0.3"])
def test_a_norm_that_is_one_of_several_takes_torchs_arguments(choice: str, arguments: str) -> None:
    assert_prints_the_same(CHOSEN.format(choice=choice, arguments=arguments))


def test_a_partial_norm_takes_torchs_arguments_later() -> None:
    choice = "from functools import partial\n    return partial(nn.BatchNorm2d, eps=1e-2)"
    assert_prints_the_same(CHOSEN.format(choice=choice, arguments="3, affine=False, momentum=0.3"))


def test_a_dropout_that_is_one_of_several_may_be_in_place() -> None:
    choice = "return nn.Dropout2d if d == 2 else nn.Dropout3d"
    assert_prints_the_same(CHOSEN.format(choice=choice, arguments="p=0.0, inplace=True"))
