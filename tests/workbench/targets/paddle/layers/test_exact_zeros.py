"""Activations at exact zeros, which convolutions without a bias give where images are empty."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import TARGET, assert_prints_the_same

_PROGRAM = """import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.norm = nn.BatchNorm2d(2)
        self.act = nn.LeakyReLU(0.2)
        self.head = nn.Conv2d(2, 2, 2)

    def forward(self, x):
        return F.leaky_relu(self.head(self.act(self.conv(x))))


def init(m):
    if isinstance(m, nn.Conv2d):
        nn.init.constant_(m.weight, 0.5)
        {zeroed}
    if isinstance(m, nn.BatchNorm2d):
        nn.init.zeros_(m.bias)


net = Net()
net.apply(init)
image = torch.zeros(1, 1, 6, 6)
image[0, 0, 1, 1] = 1.0
net(image).sum().backward()
print(net.conv.bias.grad.tolist(), net.head.bias.grad.tolist())
"""


@pytest.mark.frameworks
@pytest.mark.parametrize("zeroed", ["nn.init.zeros_(m.bias)", "m.bias.data.mul_(0)"])
def test_the_gradient_of_leaky_relu_where_biases_are_zero(zeroed: str) -> None:
    assert_prints_the_same(_PROGRAM.replace("{zeroed}", zeroed))


def test_a_bias_of_a_normalisation_keeps_it_plain() -> None:
    code = workbench.convert(_PROGRAM.replace("{zeroed}", "pass"), target=TARGET).code
    assert "F.leaky_relu(self.head" in code and "nn.LeakyReLU(0.2)" in code


@pytest.mark.frameworks
@pytest.mark.parametrize("norm", ["2", "1", "3.0", "-1.0"])
def test_lp_pool_of_windows_of_zeros(norm: str) -> None:
    assert_prints_the_same(f"""import torch
import torch.nn as nn
import torch.nn.functional as F

x = torch.zeros(1, 1, 4, 4)
x[0, 0, 0, :2] = torch.tensor([3.0, 4.0])
x.requires_grad_()
y = F.lp_pool2d(x, {norm}, 2) + nn.LPPool2d({norm}, 2)(x)
y[y.isfinite()].sum().backward()
print(y.tolist(), x.grad[0, 0, 0].tolist() if {norm} > 0 else x.grad.shape == x.shape)
""")


@pytest.mark.frameworks
def test_the_gradient_of_rrelu_where_biases_are_zero() -> None:
    program = _PROGRAM.replace("nn.LeakyReLU(0.2)", "nn.RReLU(0.1, 0.1)")
    assert_prints_the_same(program.replace("{zeroed}", "nn.init.zeros_(m.bias)"))
